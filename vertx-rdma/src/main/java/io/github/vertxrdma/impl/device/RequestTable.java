package io.github.vertxrdma.impl.device;

import java.util.Arrays;

/** Finds requests by the ids in completions. Confined to one thread. */
public final class RequestTable {
  private Request[] table = new Request[256];
  private int size;

  public void add(Request request) {
    if (request.index >= 0) {
      throw new IllegalStateException("request " + request.index + " was already added");
    }
    if (size == table.length) {
      table = Arrays.copyOf(table, size * 2);
    }
    request.index = size;
    table[size++] = request;
  }

  /** Returns null if the id is of an earlier use. */
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
