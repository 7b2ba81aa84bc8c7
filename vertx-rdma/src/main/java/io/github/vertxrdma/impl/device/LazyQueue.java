package io.github.vertxrdma.impl.device;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * FIFO queue that allocates its array with the first element, and drops a long array when empty: most queues of connections are unused.
 * Confined to one thread.
 */
public final class LazyQueue<E> extends AbstractCollection<E> {
  private static final Object[] NONE = {};
  private static final int FIRST = 4;
  private static final int KEPT = 256;

  private Object[] elements = NONE;
  private int head;
  private int size;

  @Override
  public boolean add(E element) {
    makeRoom();
    elements[at(size++)] = element;
    return true;
  }

  /** Puts a polled element back at the head. */
  public void addFirst(E element) {
    makeRoom();
    head = at(-1);
    elements[head] = element;
    size++;
  }

  private void makeRoom() {
    if (size == elements.length) {
      Object[] more = new Object[Math.max(FIRST, size * 2)];
      for (int i = 0; i < size; i++) {
        more[i] = elements[at(i)];
      }
      elements = more;
      head = 0;
    }
  }

  private int at(int place) {
    return head + place & elements.length - 1;
  }

  @SuppressWarnings("unchecked")
  public E peek() {
    return size == 0 ? null : (E) elements[head];
  }

  public E poll() {
    E first = peek();
    if (first != null) {
      elements[head] = null;
      head = at(1);
      if (--size == 0 && elements.length > KEPT) {
        clear();
      }
    }
    return first;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean isEmpty() {
    return size == 0;
  }

  @Override
  public void clear() {
    elements = NONE;
    head = 0;
    size = 0;
  }

  private void removeAt(int place) {
    for (int i = place; i > 0; i--) {
      elements[at(i)] = elements[at(i - 1)];
    }
    poll();
  }

  /** During the iteration, only the iterator may change the queue. */
  @Override
  public Iterator<E> iterator() {
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      @SuppressWarnings("unchecked")
      public E next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return (E) elements[at(next++)];
      }

      @Override
      public void remove() {
        removeAt(--next);
      }
    };
  }
}
