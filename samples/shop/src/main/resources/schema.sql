create table stock (
  sku varchar(40) primary key,
  on_hand int not null,
  reserved int not null default 0,
  minimum int
);

create table reservation (
  order_number varchar(20) not null,
  sku varchar(40) not null,
  count int not null,
  reserved_at timestamp
);
