-- The list of carriers is in the program (shared/call.ts); numbers of others are never inserted.
alter table numbers drop constraint numbers_provider_check;
alter table numbers add constraint numbers_provider_check check (provider ~ '^[a-z]{3,20}$');
