package io.github.vertxrdma.impl.device;

import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;

/**
 * FIFO queue that allocates its array with the first element, and drops a long array when empty. Most queues of connections are unused.
 * Confined to one thread.
 */
public final class LazyQueue<E> extends AbstractCollection<E> {
  private static final int FIRST = 4;
  private static final int KEPT = 256;

  private ArrayDeque<E> elements;
  private boolean isLong;

  @Override
  public boolean add(E element) {
    return withRoom().add(element);
  }

  public void addFirst(E element) {
    withRoom().addFirst(element);
  }

  private ArrayDeque<E> withRoom() {
    if (elements == null) {
      elements = new ArrayDeque<>(FIRST);
    }
    isLong |= elements.size() >= KEPT;
    return elements;
  }

  public E peek() {
    return elements == null ? null : elements.peek();
  }

  public E poll() {
    E first = elements == null ? null : elements.poll();
    if (isLong && elements.isEmpty()) {
      clear();
    }
    return first;
  }

  @Override
  public boolean remove(Object element) {
    boolean removed = elements != null && elements.remove(element);
    if (isLong && elements.isEmpty()) {
      clear();
    }
    return removed;
  }

  @Override
  public int size() {
    return elements == null ? 0 : elements.size();
  }

  @Override
  public void clear() {
    elements = null;
    isLong = false;
  }

  @Override
  public Iterator<E> iterator() {
    return elements == null ? Collections.emptyIterator() : elements.iterator();
  }
}
