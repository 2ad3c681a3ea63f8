-- The carts.
CREATE TABLE IF NOT EXISTS shop.carts (
  id INT PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE OR REPLACE VIEW open_carts AS
  SELECT * FROM shop.carts WHERE name = 'CREATE TABLE fake (id int)';

CREATE MATERIALIZED VIEW sums AS SELECT 1;

/* Adds up. */
CREATE FUNCTION total(a int, b int) RETURNS int AS $$
  SELECT a + b;
$$ LANGUAGE sql;

CREATE TYPE level AS ENUM ('low', 'high');

CREATE INDEX carts_name ON shop.carts (name);

CREATE TRIGGER touch BEFORE INSERT ON shop.carts FOR EACH ROW EXECUTE FUNCTION stamp();

INSERT INTO shop.carts VALUES (1, 'a');
