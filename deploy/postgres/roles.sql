-- The roles of a database for jobs: tsumero owns the tables and makes them; tsumero_worker reads and writes rows and
-- changes no table. A superuser runs it once, before anything of Tsumero connects, with the folder that secrets.sh made:
--
--   SECRETS=deploy/postgres/secrets psql --host=HOST --username=postgres --file=deploy/postgres/roles.sql
--
-- API keys are a file of the service, so that no role of the database can read them.
\set ON_ERROR_STOP on
\set serve `cat "$SECRETS/serve/password"`
\set worker `cat "$SECRETS/worker/password"`
create role tsumero login password :'serve';
create role tsumero_worker login password :'worker';
create database tsumero owner tsumero;
revoke connect, temporary on database tsumero from public;
grant connect on database tsumero to tsumero_worker;
\connect tsumero
-- Also for the tables of later versions: whatever tsumero will make.
alter default privileges for role tsumero grant select, insert, update, delete on tables to tsumero_worker;
alter default privileges for role tsumero grant usage on sequences to tsumero_worker;
