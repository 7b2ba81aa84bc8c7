package io.github.vertxrdma.provider.software;

import java.util.function.Supplier;

/**
 * Entries by number, first in, first out. They are filled again and again, so there are as many as were ever needed at once, up to the next
 * power of two. Confined to a thread.
 */
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

  /** The number of the first entry. */
  public long head() {
    return head;
  }

  /** The number of the entry that is added next. */
  public long tail() {
    return tail;
  }

  public int size() {
    return (int) (tail - head);
  }

  public boolean isEmpty() {
    return head == tail;
  }

  /** The entry of a number from {@link #head} to before {@link #tail}. */
  @SuppressWarnings("unchecked")
  public E get(long number) {
    return (E) entries[(int) number & entries.length - 1];
  }

  public E first() {
    return get(head);
  }

  /** The entry that {@link #add} adds, with what an earlier one left in it. */
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

  /** Removes the first entry, which is reused. */
  public void remove() {
    head++;
  }

  /** Removes the first entry, which is the caller's from now on. */
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
