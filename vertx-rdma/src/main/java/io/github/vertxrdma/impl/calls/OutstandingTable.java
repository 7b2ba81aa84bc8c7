package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Requests that wait for a reply, by id. An id contains a generation, so that a late reply does not match another request. Confined to its
 * event loop.
 */
final class OutstandingTable {
  private static final int INDEX_BITS = 16;
  /** Maximum number of requests with different ids, which are not 0. */
  static final int MAX_REQUESTS = 65_535;

  private final Scheduler loop;
  private final String service;
  private final int max;
  private Outstanding[] slots = new Outstanding[16];
  private int[] free = new int[16];
  private int freeCount;
  private int used;
  private int generation;

  OutstandingTable(Scheduler loop, String service, int max) {
    this.loop = loop;
    this.service = service;
    this.max = max;
  }

  int size() {
    return used - freeCount;
  }

  boolean isFull() {
    return size() >= max;
  }

  /** Adds a request and assigns its id. */
  void add(Outstanding request, int timeoutMillis) {
    int index;
    if (freeCount > 0) {
      index = free[--freeCount];
    } else {
      if (used == slots.length) {
        slots = Arrays.copyOf(slots, 2 * used);
        free = Arrays.copyOf(free, 2 * used);
      }
      index = used++;
    }
    slots[index] = request;
    request.id = ++generation << INDEX_BITS | index + 1;
    request.table = this;
    request.timeoutMillis = timeoutMillis;
    loop.deadlines().set(request, timeoutMillis, TimeUnit.MILLISECONDS);
  }

  /** Returns the nanoseconds since the request was added, including the wait for a connection. */
  long age(Outstanding request) {
    return loop.nanoTime() - request.at() + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis);
  }

  /** Removes the request of a reply over this connection. @return null if there is none */
  Outstanding take(int id, BusLink link) {
    int index = index(id);
    if (index < 0 || index >= used) {
      return null;
    }
    Outstanding request = slots[index];
    if (request == null || request.id != id || request.link != link) {
      return null;
    }
    remove(index);
    return request;
  }

  private static int index(int id) {
    return (id & (1 << INDEX_BITS) - 1) - 1;
  }

  private void remove(int index) {
    slots[index].cancel();
    slots[index].releaseMessage();
    slots[index] = null;
    free[freeCount++] = index;
  }

  boolean contains(Outstanding request) {
    return slots[index(request.id)] == request;
  }

  /** Fails requests over a connection, or those that wait for one if it is null. Requests added meanwhile stay. */
  void fail(BusLink link, Throwable cause) {
    List<Outstanding> failed = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      Outstanding request = slots[i];
      if (request != null && request.link == link) {
        remove(i);
        failed.add(request);
      }
    }
    failed.forEach(request -> request.failed(cause));
  }

  void expired(Outstanding request) {
    remove(index(request.id));
    request.failed(new ReplyException(ReplyFailure.TIMEOUT, "Timed out after waiting " + request.timeoutMillis
      + "(ms) for a reply. service: " + service));
    if (request.link != null) {
      request.link.requestEnded();
    }
  }
}
