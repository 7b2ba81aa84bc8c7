package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The rings and sockets of one thread. A poll reads the rings that had something lately; sockets, and rings that were silent, are looked at
 * in every 64th poll and after a sleep. A queue that sleeps says so in a page that its peers read; they wake it by a message on their
 * socket.
 */
final class ShmQueue extends SoftwareQueue {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SOCKETS_EVERY = 64;
  /** Peerings without connections that are kept for what may come. */
  private static final int MOST_UNUSED = 64;

  private final ShmDomain domain;
  private final ConnectionTable connections = new ConnectionTable();
  /** Those that may be asked through a ring, by number. */
  private final Map<Integer, ShmListener> listeners = new HashMap<>();
  private final DescriptorSet sockets;
  /** The page of {@link #sleep}. */
  private final AnonymousFile state;
  private final OwnSleep sleep;
  private final long[] id = {random(), random()};
  /** Those that had something lately come first. */
  private final ArrayList<Peering> peerings = new ArrayList<>();
  private int watched;
  /** Peerings without connections; the one that has been so longest comes first. */
  private final LinkedHashSet<Peering> unused = new LinkedHashSet<>();
  /** Place of the ring that the next poll reads first: behind that at which the last one stopped, so that none is always the first. */
  private int next;
  private final ArrayDeque<ShmEndpoint> hungry = new ArrayDeque<>();
  private final ArrayDeque<Peering> held = new ArrayDeque<>();
  /** Rings that are read no more, and that messages of the last batch may lie in. */
  private final ArrayDeque<Mapping> retired = new ArrayDeque<>();
  private int turns;
  private boolean asleep;
  private boolean attentive = true;
  private int connecting;

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
    sleep = new OwnSleep(state.memory());
  }

  /** A number that no peer can guess. */
  static long random() {
    return RANDOM.nextLong();
  }

  ShmDomain domain() {
    return domain;
  }

  ConnectionTable connections() {
    return connections;
  }

  AnonymousFile state() {
    return state;
  }

  long id(int half) {
    return id[half];
  }

  /** Address of an endpoint that connects, which nobody connects to. @param queue the first half of its queue's id */
  static EndpointAddress address(long queue, int number) {
    return EndpointAddress.of("queue-" + Long.toHexString(queue) + "-" + Integer.toHexString(number));
  }

  // Listeners

  void add(int number, ShmListener listener) {
    listeners.put(number, listener);
  }

  void removeListener(int number) {
    listeners.remove(number);
  }

  /** Null if there is none, or none any more. */
  ShmListener listener(int number) {
    return listeners.get(number);
  }

  // Sockets

  DescriptorSet sockets() {
    return sockets;
  }

  /** Calls the pollable when a socket may have something; any thread. @param fd the socket's descriptor */
  void watch(int fd, Pollable pollable) {
    sockets.watch(fd, pollable);
    attentive = true;
  }

  /** A socket has more than was taken: the next poll looks at it again. */
  void lookAgain() {
    attentive = true;
  }

  /** While there are connects under way sockets are looked at in every poll. */
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

  // Peerings

  /** The peering with a queue of another process, or of this one; null if there is none. */
  Peering peering(long high, long low) {
    for (Peering peering : peerings) {
      if (peering.isWith(high, low)) {
        return peering;
      }
    }
    return null;
  }

  /** The lane to a listener; null if it is to be asked by its socket. */
  Lane lane(EndpointAddress listener) {
    for (Peering peering : peerings) {
      if (peering.lane().leadsTo(listener)) {
        return peering.lane();
      }
    }
    return null;
  }

  /** Queues that it shares memory with. */
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

  /** A peering has no connections any more. */
  void unused(Peering peering) {
    unused.add(peering);
  }

  /** A peering has connections again, or is over. */
  void used(Peering peering) {
    unused.remove(peering);
  }

  /** A connect under way may be accepted over any of them. */
  private void closeUnused() {
    while (unused.size() > MOST_UNUSED && connecting == 0) {
      unused.removeFirst().close();
    }
  }

  /** Reads its ring in every poll from now on. */
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

  /** Rings its bell, which a post held back, in the next poll at the latest. */
  void hold(Peering peering) {
    held.add(peering);
  }

  /** Lets an endpoint take messages that found no receive, in the next poll. */
  void receiveNext(ShmEndpoint endpoint) {
    hungry.add(endpoint);
  }

  /** Unmaps a ring of a peer in the next poll: until then messages of the last batch may lie in it. */
  void retire(Mapping ring) {
    retired.add(ring);
  }

  private void unmapRetired() {
    for (Mapping ring; (ring = retired.poll()) != null;) {
      ring.unmap();
    }
  }

  // Polling

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
      hungry.poll().receiveHeld();
    }
    for (int left = watched; left > 0 && watched > 0 && !batch.isFull(); left--) {
      readNext(batch);
    }
    while (!held.isEmpty()) {
      held.poll().output().ring();
    }
    // No ring is being read here.
    closeUnused();
  }

  /** Reads the ring whose turn it is. */
  private void readNext(CompletionBatch batch) {
    if (next >= watched) {
      next = 0;
    }
    Peering peering = peerings.get(next);
    boolean again = peering.poll(batch, turns);
    if (next >= watched || peerings.get(next) != peering) {
      // It is over, and the next one has its place.
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

  // Sleeping

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
    // Looked at in a sleep that goes on too: posts since it began may wait for room, and something may be due earlier.
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
    unmapRetired();
    state.unmap();
    state.release();
  }
}
