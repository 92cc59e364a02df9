-- A number that was entered at the wrong carrier is gone at the one and unknown at the other.
alter table number_findings drop constraint number_findings_pkey, add primary key (provider, number);
