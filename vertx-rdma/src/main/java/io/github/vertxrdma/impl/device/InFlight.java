package io.github.vertxrdma.impl.device;

import java.util.Arrays;
import java.util.function.Consumer;

/** Posted requests of a connection that have not completed. Confined to one thread. */
public final class InFlight {
  private static final Request[] NONE = {};
  private static final int FIRST = 4;

  private Request[] list = NONE;
  private int size;

  public void add(Request request) {
    if (size == list.length) {
      list = Arrays.copyOf(list, Math.max(FIRST, size * 2));
    }
    request.place = size;
    if (list[size] != request) {
      list[size] = request;
    }
    size++;
  }

  public void remove(Request request) {
    int place = request.place;
    Request last = list[--size];
    if (last != request) {
      list[place] = last;
      last.place = place;
    }
    request.place = -1;
  }

  public int size() {
    return size;
  }

  /** {@code each} must not add or remove requests. */
  public void forEach(Consumer<Request> each) {
    for (int i = 0; i < size; i++) {
      each.accept(list[i]);
    }
  }

  public void drain(Consumer<Request> each) {
    while (size > 0) {
      Request request = list[size - 1];
      remove(request);
      each.accept(request);
    }
  }
}
