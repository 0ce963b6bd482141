insert into category (name) values ('Books');
insert into category (name, parent_id) values ('Maps', 1);
insert into product (sku, name, price, currency, grams, status, category_id)
  values ('MAP-12341', 'Map of the harbour', 12.50, 'EUR', 120, 'ACTIVE', 2);
insert into stock (sku, on_hand, reserved, minimum) values ('MAP-12341', 10, 0, 3);
