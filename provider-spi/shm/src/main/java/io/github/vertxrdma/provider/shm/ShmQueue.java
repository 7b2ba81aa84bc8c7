package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Completion queue over shared memory. A poll reads the recently active rings. Every 64th poll, and the first after a sleep, also checks
 * the sockets and other rings. Peers read in a shared page whether the queue sleeps, and wake it with a message on their socket.
 */
final class ShmQueue extends SoftwareQueue {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SOCKETS_EVERY = 64;
  private static final int MOST_UNUSED = 64;

  final ShmDomain domain;
  final ConnectionTable connections = new ConnectionTable();
  final Map<Integer, ShmListener> listeners = new HashMap<>();
  /** Bound sockets of listeners that are not open yet. */
  private final Map<EndpointAddress, List<ShmListener.Name>> prepared = new HashMap<>();
  /** Guarded by {@code prepared}. */
  private boolean ended;
  final DescriptorSet sockets;
  final AnonymousFile state;
  private final OwnSleep sleep;
  private final long[] id = {random(), random()};
  /** Links to peers' queues. The first {@code watched} ones were recently active. */
  private final ArrayList<QueueLink> links = new ArrayList<>();
  private int watched;
  /** Links without connections, the longest unused first. */
  final LinkedHashSet<QueueLink> unused = new LinkedHashSet<>();
  /** Index of the ring that the next poll reads first. */
  private int next;
  private final ArrayDeque<QueueLink> held = new ArrayDeque<>();
  private final ArrayDeque<Mapping> retired = new ArrayDeque<>();
  private int turns;
  private boolean asleep;
  private boolean checksSockets = true;
  private int connecting;
  private int named;

  ShmQueue(ShmDomain domain, int capacity) {
    this(domain, capacity, new DescriptorSet());
  }

  private ShmQueue(ShmDomain domain, int capacity, DescriptorSet sockets) {
    super(domain, capacity, sockets);
    this.domain = domain;
    this.sockets = sockets;
    try {
      state = AnonymousFile.create(AnonymousFile.PAGE, false);
    } catch (RuntimeException e) {
      sockets.close();
      throw e;
    }
    sleep = new OwnSleep(state.memory);
  }

  /** Returns a random number that no peer can guess. */
  static long random() {
    return RANDOM.nextLong();
  }

  long id(int half) {
    return id[half];
  }

  static EndpointAddress address(long queue, int number) {
    return EndpointAddress.of("queue-" + Long.toHexString(queue) + "-" + Integer.toHexString(number));
  }

  /**
   * Returns a new listener name: process id, first half of the queue's id, and a counter. By the queue's id, a connector finds rings that
   * it already shares with the queue.
   */
  EndpointAddress nameListener() {
    return EndpointAddress.of(ProcessHandle.current().pid() + "-" + Long.toHexString(id[0]) + "-" + Integer.toHexString(++named));
  }

  void prepared(EndpointAddress address, List<ShmListener.Name> names) {
    synchronized (prepared) {
      if (!ended) {
        prepared.put(address, names);
        return;
      }
    }
    names.forEach(ShmListener.Name::close);
    throw new ProviderException(ProviderException.Reason.INVALID, "shm: the completion queue is closed");
  }

  List<ShmListener.Name> takePrepared(EndpointAddress address) {
    synchronized (prepared) {
      return prepared.remove(address);
    }
  }

  void watch(int fd, Pollable pollable) {
    sockets.watch(fd, pollable);
    checksSockets = true;
  }

  void checkSockets() {
    checksSockets = true;
  }

  /** Adds to the number of connects in progress. While there are any, every poll checks the sockets. */
  void connecting(int more) {
    connecting += more;
  }

  boolean isConnecting() {
    return connecting > 0;
  }

  private void pollSockets() {
    checksSockets = false;
    if (sockets.poll()) {
      checksSockets = true;
    }
  }

  QueueLink provenBy(ShmRequest request) {
    for (QueueLink link : links) {
      if (link.isWith(request.connector.high(), request.connector.low()) && request.proves(link.key)) {
        return link;
      }
    }
    return null;
  }

  /**
   * Returns the link to the queue that a listener's {@link #nameListener name} contains, or null. Another process may have copied the name.
   */
  QueueLink named(EndpointAddress listener) {
    String name = listener.toString();
    int from = name.indexOf('-') + 1;
    int to = name.lastIndexOf('-');
    if (from == 0 || from >= to) {
      return null;
    }
    String queue = name.substring(from, to);
    for (QueueLink link : links) {
      // A queue that is connected to itself has two links with the same key.
      if (!link.over && link.high != id[0] && queue.equals(Long.toHexString(link.high))) {
        return link;
      }
    }
    return null;
  }

  /** Returns the rings through which to connect to a listener, or null if the request must go over a socket. */
  QueueLink connectedTo(EndpointAddress listener) {
    for (QueueLink link : links) {
      if (link.knows(listener)) {
        return link;
      }
    }
    return null;
  }

  int links() {
    return links.size();
  }

  void add(QueueLink link) {
    links.add(link);
    watch(link);
  }

  void remove(QueueLink link) {
    unused.remove(link);
    int at = links.indexOf(link);
    if (at >= 0) {
      if (at < watched) {
        watched--;
      }
      if (at < next) {
        next--;
      }
      links.remove(at);
    }
  }

  /** Closes the longest unused links above 64. Waits during a connect, which may be accepted through one of them. */
  private void closeUnused() {
    while (unused.size() > MOST_UNUSED && connecting == 0) {
      unused.removeFirst().close();
    }
  }

  /** Makes every poll read the ring of this link. */
  void watch(QueueLink link) {
    int at = links.indexOf(link);
    if (at >= watched) {
      swap(at, watched++);
    }
  }

  private void swap(int i, int j) {
    QueueLink other = links.get(i);
    links.set(i, links.get(j));
    links.set(j, other);
  }

  /** Wakes the peer in the next poll at the latest. */
  void hold(QueueLink link) {
    held.add(link);
  }

  /** Unmaps a ring in the next poll, because messages of the last batch may be in it. */
  void retire(Mapping ring) {
    retired.add(ring);
  }

  private void unmapRetired() {
    for (Mapping ring; (ring = retired.poll()) != null;) {
      ring.unmap();
    }
  }

  @Override
  protected void pollBegins() {
    unmapRetired();
    if (asleep) {
      wakeUp();
    }
  }

  @Override
  protected void progress(CompletionBatch batch) {
    if ((++turns & SOCKETS_EVERY - 1) == 0 || checksSockets || connecting > 0) {
      pollSockets();
      watchThoseWithRecords();
    }
    runEndpoints();
    for (int left = watched; left > 0 && watched > 0 && !batch.isFull(); left--) {
      readNext(batch);
    }
    while (!held.isEmpty()) {
      held.poll().output.wakePeer();
    }
    // No ring is being read now.
    closeUnused();
  }

  private void readNext(CompletionBatch batch) {
    if (next >= watched) {
      next = 0;
    }
    QueueLink link = links.get(next);
    boolean again;
    try {
      again = link.poll(batch, turns);
    } catch (RuntimeException | Error e) {
      link.broken(e);
      return;
    }
    if (next >= watched || links.get(next) != link) {
      // The link has ended, and the next one has its index.
      return;
    }
    if (again) {
      next++;
    } else {
      swap(next, --watched);
    }
  }

  private void watchThoseWithRecords() {
    for (int i = watched; i < links.size(); i++) {
      if (links.get(i).isReady()) {
        swap(i, watched++);
      }
    }
  }

  @Override
  public boolean arm() {
    if (isClosed()) {
      return true;
    }
    if (hasWork() || !held.isEmpty()) {
      return false;
    }
    unmapRetired();
    if (!asleep) {
      asleep = true;
      sleep.begin();
    }
    // Required even if the queue was asleep: operations posted meanwhile may wait for room, or have an earlier deadline.
    boolean something = false;
    for (int i = 0; i < links.size() && !something; i++) {
      something = links.get(i).prepareToSleep();
    }
    if (something) {
      wakeUp();
      return false;
    }
    return sockets.arm(due());
  }

  private void wakeUp() {
    asleep = false;
    checksSockets = true;
    sleep.end();
  }

  @Override
  protected void childrenClosed() {
    List.copyOf(links).forEach(QueueLink::close);
  }

  @Override
  protected void released() {
    synchronized (prepared) {
      ended = true;
      prepared.values().forEach(names -> names.forEach(ShmListener.Name::close));
      prepared.clear();
    }
    unmapRetired();
    state.unmap();
    state.release();
  }
}
