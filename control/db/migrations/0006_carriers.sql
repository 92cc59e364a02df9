-- Which carriers there are is the program's to know (shared/call.ts); a number of one it does not know is never entered.
alter table numbers drop constraint numbers_provider_check;
alter table numbers add constraint numbers_provider_check check (provider ~ '^[a-z]{3,20}$');
