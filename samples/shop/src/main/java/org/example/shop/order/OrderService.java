package org.example.shop.order;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import lombok.RequiredArgsConstructor;
import lombok.extern.slf4j.Slf4j;
import org.example.shop.catalog.Product;
import org.example.shop.catalog.ProductRepository;
import org.example.shop.customer.Customer;
import org.example.shop.customer.CustomerRepository;
import org.example.shop.order.OrderException.Reason;
import org.example.shop.pricing.Money;
import org.example.shop.pricing.PriceCalculator;
import org.example.shop.stock.StockService;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
@Slf4j
@RequiredArgsConstructor
public class OrderService {

    private static final Duration UNPAID_LIMIT = Duration.ofDays(3);

    private final OrderRepository orders;
    private final ProductRepository products;
    private final CustomerRepository customers;
    private final StockService stock;
    private final PriceCalculator prices;
    private final OrderStateMachine states;
    private final OrderNumbers numbers;
    private final Clock clock;

    @Transactional(rollbackFor = OrderException.class)
    public Order place(OrderRequest request) throws OrderException {
        Customer customer = customers.findById(request.customerId())
                .orElseThrow(() -> new OrderException(Reason.UNKNOWN_CUSTOMER, "no customer " + request.customerId()));
        if (customer.isBlocked()) {
            throw new OrderException(Reason.STATE, "the customer is blocked");
        }
        Order order = new Order();
        order.setCustomer(customer);
        order.setShippingAddress(customer.getAddress());
        order.setCurrency(request.currency());
        for (OrderRequest.Item item : request.items()) {
            Product product = products.findBySku(item.sku())
                    .orElseThrow(() -> new OrderException(Reason.UNKNOWN_PRODUCT, "no product " + item.sku()));
            if (!product.isAvailable()) {
                throw new OrderException(Reason.NOT_SOLD, product.getName() + " is not sold");
            }
            order.add(product, item.count());
        }
        order.setNumber(numbers.next());
        for (OrderLine line : order.getLines()) {
            if (!stock.reserve(line.getProduct().getSku(), line.getCount(), order.getNumber())) {
                stock.release(order.getNumber());
                throw new OrderException(Reason.OUT_OF_STOCK, "not enough of " + line.getProduct().getSku());
            }
        }
        Money total = prices.total(order, request.currency());
        order.setTotal(total.getAmount());
        order.setPlacedAt(clock.instant());
        log.info("order {} of {} for {}", order.getNumber(), customer.getEmail(), total);
        return orders.save(order);
    }

    @Transactional
    public Order move(String number, OrderStatus next) throws OrderException {
        Order order = byNumber(number);
        if (order.getStatus() == next) {
            return order;
        }
        if (!states.canMove(order, next)) {
            throw new OrderException(Reason.STATE, "the order is " + order.getStatus());
        }
        states.move(order, next);
        if (next == OrderStatus.CANCELLED) {
            stock.release(number);
        } else if (next == OrderStatus.SHIPPED) {
            stock.commit(number);
        }
        return orders.save(order);
    }

    /** Cancels orders that were not paid in time; returns how many. */
    @Transactional
    public int cancelUnpaid() {
        Instant limit = clock.instant().minus(UNPAID_LIMIT);
        List<Order> late = orders.findByStatusAndPlacedAtBefore(OrderStatus.NEW, limit);
        int cancelled = 0;
        for (Order order : late) {
            try {
                states.move(order, OrderStatus.CANCELLED);
                stock.release(order.getNumber());
                orders.save(order);
                cancelled++;
            } catch (IllegalStateException e) {
                log.warn("order {} stays: {}", order.getNumber(), e.getMessage());
            }
        }
        return cancelled;
    }

    public Order byNumber(String number) throws OrderException {
        return orders.findByNumber(number)
                .orElseThrow(() -> new OrderException(Reason.UNKNOWN_ORDER, "no order " + number));
    }
}
