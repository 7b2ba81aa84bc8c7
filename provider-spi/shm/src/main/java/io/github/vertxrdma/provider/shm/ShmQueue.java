package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.PostedOperation;
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
  private final Map<Integer, ShmListener> listeners = new HashMap<>();
  /** Bound sockets of listeners that are not open yet. */
  private final Map<EndpointAddress, ShmListener.Name> prepared = new HashMap<>();
  /** Guarded by {@code prepared}. */
  private boolean ended;
  final DescriptorSet sockets;
  final AnonymousFile state;
  private final OwnSleep sleep;
  private final long[] id = {random(), random()};
  /** Links to peers' queues. The first {@code watched} ones were recently active. */
  private final ArrayList<Peering> peerings = new ArrayList<>();
  private int watched;
  /** Links without connections, the longest unused first. */
  private final LinkedHashSet<Peering> unused = new LinkedHashSet<>();
  /** Index of the ring that the next poll reads first. */
  private int next;
  final ArrayDeque<PostedOperation> unusedOperations = new ArrayDeque<>();
  private final ArrayDeque<ShmEndpoint> hungry = new ArrayDeque<>();
  private final ArrayDeque<Peering> held = new ArrayDeque<>();
  private final ArrayDeque<Mapping> retired = new ArrayDeque<>();
  private int turns;
  private boolean asleep;
  private boolean attentive = true;
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

  void add(int number, ShmListener listener) {
    listeners.put(number, listener);
  }

  void removeListener(int number) {
    listeners.remove(number);
  }

  ShmListener listener(int number) {
    return listeners.get(number);
  }

  void prepared(EndpointAddress address, ShmListener.Name name) {
    synchronized (prepared) {
      if (!ended) {
        prepared.put(address, name);
        return;
      }
    }
    name.close();
    throw new ProviderException(ProviderException.Reason.INVALID, "shm: the completion queue is closed");
  }

  ShmListener.Name takePrepared(EndpointAddress address) {
    synchronized (prepared) {
      return prepared.remove(address);
    }
  }

  void watch(int fd, Pollable pollable) {
    sockets.watch(fd, pollable);
    attentive = true;
  }

  void lookAgain() {
    attentive = true;
  }

  /** Adds to the number of connects in progress. While there are any, every poll checks the sockets. */
  void connecting(int more) {
    connecting += more;
  }

  boolean isConnecting() {
    return connecting > 0;
  }

  private void pollSockets() {
    attentive = false;
    if (sockets.poll()) {
      attentive = true;
    }
  }

  Peering provenBy(ShmRequest request) {
    for (Peering peering : peerings) {
      if (peering.isWith(request.high(), request.low()) && request.proves(peering.key)) {
        return peering;
      }
    }
    return null;
  }

  /**
   * Returns the link to the queue that a listener's {@link #nameListener name} contains, or null. Another process may have copied the name.
   */
  Peering named(EndpointAddress listener) {
    String name = listener.toString();
    int from = name.indexOf('-') + 1;
    int to = name.lastIndexOf('-');
    if (from == 0 || from >= to) {
      return null;
    }
    String queue = name.substring(from, to);
    for (Peering peering : peerings) {
      // A queue that is connected to itself has two links with the same key.
      if (!peering.isOver() && peering.high != id[0] && queue.equals(Long.toHexString(peering.high))) {
        return peering;
      }
    }
    return null;
  }

  /** Returns the rings through which to connect to a listener, or null if the request must go over a socket. */
  Lane lane(EndpointAddress listener) {
    for (Peering peering : peerings) {
      if (peering.lane.leadsTo(listener)) {
        return peering.lane;
      }
    }
    return null;
  }

  int peerings() {
    return peerings.size();
  }

  void add(Peering peering) {
    peerings.add(peering);
    watch(peering);
  }

  void remove(Peering peering) {
    used(peering);
    int at = peerings.indexOf(peering);
    if (at >= 0) {
      if (at < watched) {
        watched--;
      }
      if (at < next) {
        next--;
      }
      peerings.remove(at);
    }
  }

  void unused(Peering peering) {
    unused.add(peering);
  }

  void used(Peering peering) {
    unused.remove(peering);
  }

  /** Closes the longest unused links above 64. Waits during a connect, which may be accepted through one of them. */
  private void closeUnused() {
    while (unused.size() > MOST_UNUSED && connecting == 0) {
      unused.removeFirst().close();
    }
  }

  /** Makes every poll read the ring of this peering. */
  void watch(Peering peering) {
    int at = peerings.indexOf(peering);
    if (at >= watched) {
      swap(at, watched++);
    }
  }

  private void swap(int i, int j) {
    Peering other = peerings.get(i);
    peerings.set(i, peerings.get(j));
    peerings.set(j, other);
  }

  /** Wakes the peer in the next poll at the latest. */
  void hold(Peering peering) {
    held.add(peering);
  }

  /** Makes the next poll deliver an endpoint's messages that arrived before a receive was posted. */
  void receiveNext(ShmEndpoint endpoint) {
    hungry.add(endpoint);
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
    if ((++turns & SOCKETS_EVERY - 1) == 0 || attentive || connecting > 0) {
      pollSockets();
      watchThoseWithRecords();
    }
    while (!hungry.isEmpty()) {
      ShmEndpoint endpoint = hungry.poll();
      try {
        endpoint.receiveHeld();
      } catch (RuntimeException | Error e) {
        endpoint.broken(e);
      }
    }
    for (int left = watched; left > 0 && watched > 0 && !batch.isFull(); left--) {
      readNext(batch);
    }
    while (!held.isEmpty()) {
      held.poll().output.ring();
    }
    // No ring is being read now.
    closeUnused();
  }

  private void readNext(CompletionBatch batch) {
    if (next >= watched) {
      next = 0;
    }
    Peering peering = peerings.get(next);
    boolean again;
    try {
      again = peering.poll(batch, turns);
    } catch (RuntimeException | Error e) {
      peering.broken(e);
      return;
    }
    if (next >= watched || peerings.get(next) != peering) {
      // The peering has ended, and the next one has its index.
      return;
    }
    if (again) {
      next++;
    } else {
      swap(next, --watched);
    }
  }

  private void watchThoseWithRecords() {
    for (int i = watched; i < peerings.size(); i++) {
      if (peerings.get(i).isReady()) {
        swap(i, watched++);
      }
    }
  }

  @Override
  public boolean arm() {
    if (isClosed()) {
      return true;
    }
    if (hasNews() || !hungry.isEmpty() || !held.isEmpty()) {
      return false;
    }
    unmapRetired();
    if (!asleep) {
      asleep = true;
      sleep.begin();
    }
    // Required even if the queue was asleep: operations posted meanwhile may wait for room, or have an earlier deadline.
    boolean something = false;
    for (int i = 0; i < peerings.size() && !something; i++) {
      something = peerings.get(i).prepareToSleep();
    }
    if (something) {
      wakeUp();
      return false;
    }
    sockets.arm(due());
    return true;
  }

  private void wakeUp() {
    asleep = false;
    attentive = true;
    sleep.end();
  }

  @Override
  protected void childrenClosed() {
    List.copyOf(peerings).forEach(Peering::close);
  }

  @Override
  protected void released() {
    synchronized (prepared) {
      ended = true;
      prepared.values().forEach(ShmListener.Name::close);
      prepared.clear();
    }
    unmapRetired();
    state.unmap();
    state.release();
  }
}
