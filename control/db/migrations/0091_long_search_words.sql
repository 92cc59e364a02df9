-- The same keys as in 0064. There a letter was counted off from the start of its word for each key, so a word of 70,000 letters (speech
-- that a model repeats, a script without spaces) took a minute, and kept the texts of all other calls waiting.
create or replace function call_search_keys(text text) returns integer[] language plpgsql immutable strict parallel safe as $$
declare
  word text;
  before text;
  letter text;
  previous text;
  last_two text;
  keys integer[] := '{}';
begin
  foreach word in array string_to_array(text, ' ') loop
    if before is not null then
      keys := keys || hashtext(before || ' ' || left(word, 3));
    end if;
    before := right(word, 3);
  end loop;
  if octet_length(text) > length(text) then
    for word in select distinct other from string_to_table(text, ' ') as other where octet_length(other) > length(other) loop
      previous := null;
      last_two := null;
      foreach letter in array string_to_array(word, null) loop
        if last_two is not null then
          keys := keys || hashtext(last_two || letter);
        end if;
        last_two := previous || letter;
        if last_two is not null then
          keys := keys || hashtext(last_two);
        end if;
        previous := letter;
      end loop;
    end loop;
  end if;
  return keys;
end $$;
