package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Connections of a completion queue by number. A random part of each number keeps late records of a closed connection from matching a later
 * one.
 */
final class ConnectionTable {
  private static final int PLACE_BITS = 16;
  private static final int MOST = 1 << PLACE_BITS;

  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private ShmEndpoint[] endpoints = new ShmEndpoint[8];
  private int[] numbers = new int[8];
  private int used;

  int add(ShmEndpoint endpoint) {
    int place;
    if (!free.isEmpty()) {
      place = free.poll();
    } else if (used < MOST) {
      place = used++;
    } else {
      throw new ProviderException(ProviderException.Reason.LIMIT,
        "shm: cannot open a connection: its event loop already has " + used + " connections, the maximum. Use more event loops.");
    }
    if (place == endpoints.length) {
      endpoints = Arrays.copyOf(endpoints, place * 2);
      numbers = Arrays.copyOf(numbers, place * 2);
    }
    int number = place | ThreadLocalRandom.current().nextInt() << PLACE_BITS;
    if (number == numbers[place]) {
      number += 1 << PLACE_BITS;
    }
    endpoints[place] = endpoint;
    numbers[place] = number;
    return number;
  }

  ShmEndpoint find(int number) {
    int place = number & MOST - 1;
    return place < used && numbers[place] == number ? endpoints[place] : null;
  }

  void remove(int number) {
    if (find(number) != null) {
      int place = number & MOST - 1;
      endpoints[place] = null;
      free.add(place);
    }
  }
}
