-- Leased rows name their lease alike.

alter table webhook_deliveries rename column claim to lease_id;
