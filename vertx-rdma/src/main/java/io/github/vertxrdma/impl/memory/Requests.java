package io.github.vertxrdma.impl.memory;

import java.util.Arrays;

/** Finds requests by the ids that completions carry. Confined to one thread. */
public final class Requests {
  private Request[] table = new Request[256];
  private int size;

  /** Gives a request its index; once in its life. */
  public void add(Request request) {
    if (request.index >= 0) {
      throw new IllegalStateException("request " + request.index + " was added before");
    }
    if (size == table.length) {
      table = Arrays.copyOf(table, size * 2);
    }
    request.index = size;
    table[size++] = request;
  }

  /** The request of an id; null if the id is of an earlier use. */
  public Request find(long id) {
    int index = (int) id;
    if (index >= 0 && index < size) {
      Request request = table[index];
      if (request.generation == (int) (id >>> 32)) {
        return request;
      }
    }
    return null;
  }
}
