package io.github.vertxrdma.provider.software;

import java.util.function.Supplier;

/** Queue of reusable entries with consecutive numbers. Confined to one thread. */
public final class EntryRing<E> {
  private static final Object[] NONE = {};
  private static final int FIRST = 4;

  private final Supplier<E> maker;
  private Object[] entries = NONE;
  private long head;
  private long tail;

  public EntryRing(Supplier<E> maker) {
    this.maker = maker;
  }

  public long head() {
    return head;
  }

  public long tail() {
    return tail;
  }

  public int size() {
    return (int) (tail - head);
  }

  public boolean isEmpty() {
    return head == tail;
  }

  @SuppressWarnings("unchecked")
  public E get(long number) {
    return (E) entries[(int) number & entries.length - 1];
  }

  public E first() {
    return get(head);
  }

  /** Returns the entry that {@link #add} appends; it has old content. */
  public E next() {
    if (size() == entries.length) {
      grow();
    }
    E entry = get(tail);
    if (entry == null) {
      entry = maker.get();
      entries[(int) tail & entries.length - 1] = entry;
    }
    return entry;
  }

  public void add() {
    tail++;
  }

  public void remove() {
    head++;
  }

  /** Increments the numbers, as if an entry was added and removed. */
  public void skip() {
    head++;
    tail++;
  }

  /** Removes the first entry, which the caller then owns. */
  public E take() {
    E first = first();
    entries[(int) head++ & entries.length - 1] = null;
    return first;
  }

  private void grow() {
    Object[] more = new Object[Math.max(FIRST, entries.length * 2)];
    for (long number = head; number < tail; number++) {
      more[(int) number & more.length - 1] = get(number);
    }
    entries = more;
  }
}
