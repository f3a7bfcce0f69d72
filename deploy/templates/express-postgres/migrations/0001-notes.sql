create table notes (
  id integer generated always as identity primary key,
  text text not null,
  created_at timestamptz not null default now()
);
