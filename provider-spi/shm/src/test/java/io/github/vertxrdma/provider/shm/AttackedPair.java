package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.attack.Judge;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Two sides in this process, which exchange messages, read memory, pause and connect while others attack their listeners. Arguments: names
 * and values of the device's settings.
 */
final class AttackedPair implements Games.Work {
  private static final int SLOTS = 512;
  private static final int SIZE = 4096;
  private static final int DELAYED = 8;
  private static final Set<Access> RIGHTS = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ);
  private static final int ACTS = 4;

  private final Pair pair;
  private final ShmEndpoint left;
  private final ShmEndpoint right;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private Judge judge;
  private final boolean ofGroup;
  private final int before;
  private final long failedUnmaps = SystemCalls.failedUnmaps();
  private final MemoryRegion shared;
  private final MemoryRegion copy;
  private int rounds;

  private AttackedPair(Pair pair, boolean ofGroup, int before) {
    this.pair = pair;
    this.ofGroup = ofGroup;
    this.before = before;
    left = (ShmEndpoint) pair.left();
    right = (ShmEndpoint) pair.right();
    shared = pair.b.openRegion(SIZE);
    copy = pair.a.openRegion(SIZE);
  }

  public static void main(String[] arguments) {
    Map<String, String> settings = new HashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      settings.put(arguments[i], arguments[i + 1]);
    }
    ShmDevice device = (ShmDevice) Devices.require(List.of(new ShmProvider()), "shm", settings);
    int before = Attacker.held().size();
    Pair pair = Pair.connected(device, new PairOptions().withSlots(SLOTS, 3000).withSharedReceives());
    AttackedPair work = new AttackedPair(pair, settings.containsKey(MeetingFolder.GROUP), before);
    List<String> sockets = List.of(device.folder.socket(pair.listener().localAddress()),
      device.folder.socket(pair.a.listenAndAccept().localAddress()));
    work.judge = new Judge(List.of(work.tasks::add));
    Games.serve(new Games.Invitation("-", List.of(0L), List.of("-"), name(work.left) + name(work.right), sockets, List.of()),
      work.judge, work);
  }

  /** Returns the queue and the number of the other end of a connection, which only the two ends know. */
  private static String name(ShmEndpoint end) {
    return HexFormat.of().formatHex(ByteBuffer.allocate(20).order(ByteOrder.nativeOrder()).putLong(end.link().high)
      .putLong(end.link().low).putInt(end.peerNumber()).array());
  }

  private int poll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    return pair.poll();
  }

  private void until(String what, BooleanSupplier condition) {
    Await.until(what, condition, this::poll, pair::toString);
  }

  @Override
  public void turn() {
    exchange();
    switch (++rounds % ACTS) {
      case 0 -> delay();
      case 1 -> shareMore();
      case 2 -> connectMore();
      default -> checkOthers();
    }
  }

  private void exchange() {
    int length = 1 + rounds % 2000;
    pair.a.send(left, Pattern.bytes(rounds, length), PostFlags.SIGNALED);
    pair.b.send(right, Pattern.bytes(rounds + 1, 300), PostFlags.SIGNALED);
    Pattern.check(message(pair.b, right), length, rounds);
    Pattern.check(message(pair.a, left), 300, rounds + 1);
    assertEquals(EndpointState.CONNECTED, left.state(), () -> String.valueOf(left.failure()));
    assertEquals(EndpointState.CONNECTED, right.state(), () -> String.valueOf(right.failure()));
    pair.a.completions.clear();
    pair.b.completions.clear();
  }

  /** Messages wait for a side that does not poll. */
  private void delay() {
    for (int i = 0; i < DELAYED; i++) {
      pair.a.send(left, Pattern.bytes(rounds + i, 100), PostFlags.SIGNALED);
      pair.a.poll();
    }
    for (int i = 0; i < DELAYED; i++) {
      Pattern.check(message(pair.b, right), 100, rounds + i);
    }
  }

  private void shareMore() {
    copy.segment().fill((byte) 0);
    MemoryRegion memory = pair.b.domain().register(shared.segment(), RIGHTS);
    RemoteMemory remote = pair.a.remote(memory);
    Pattern.fill(memory.segment(), 0, SIZE, rounds);
    long id = Side.nextId();
    assertEquals(Status.OK, left.post(new WorkRequest().read(copy, 0, SIZE, remote, 0).id(id).flags(PostFlags.SIGNALED)));
    until("a read", () -> pair.a.completion(id) != null);
    assertEquals(Status.OK, pair.a.completion(id).status());
    assertEquals(-1, copy.segment().mismatch(memory.segment()));
    pair.a.forget(remote);
    pair.b.forget(memory);
  }

  /** While a process of the same user keeps descriptors from being closed, connections of that user are refused. */
  private void connectMore() {
    if (!ofGroup && StrayDescriptors.unclosed() > 0) {
      return;
    }
    Endpoint more = pair.a.connect(pair.listener().localAddress());
    until("another connection", () -> pair.a.connected.contains(more) || pair.a.disconnected.contains(more));
    if (!pair.a.connected.contains(more)) {
      if (!ofGroup && StrayDescriptors.unclosed() > 0) {
        return;
      }
      throw new AssertionError("a connect failed: " + more.state() + ", " + more.failure() + ", " + pair, pair.a.cause);
    }
    pair.a.send(more, Pattern.bytes(rounds, 10), PostFlags.SIGNALED);
    Pattern.check(message(pair.b, each -> each.endpoint() != right && each.data().length == 10), 10, rounds);
    pair.a.forget(more);
    until("the other end ends", () -> pair.b.connected.stream().noneMatch(this::isBesidePair));
  }

  private boolean isBesidePair(Endpoint end) {
    QueueLink link = ((ShmEndpoint) end).link();
    return end != left && end != right && end.state() == EndpointState.CONNECTED && (link == left.link() || link == right.link());
  }

  /** Removes messages up to one that is accepted, and returns its data; null if there is none. */
  private static byte[] next(Side side, Predicate<Side.Message> accepted) {
    while (!side.messages.isEmpty()) {
      Side.Message next = side.messages.poll();
      if (accepted.test(next)) {
        return next.data();
      }
    }
    return null;
  }

  private byte[] message(Side side, Predicate<Side.Message> accepted) {
    byte[][] found = {null};
    until("a message of the honest pair", () -> (found[0] = next(side, accepted)) != null);
    return found[0];
  }

  private byte[] message(Side side, Endpoint of) {
    return message(side, each -> each.endpoint() == of);
  }

  /** Closes ended connections. Through the rings of the pair, only its own requests are answered. */
  private void checkOthers() {
    for (Side side : List.of(pair.a, pair.b)) {
      for (Endpoint each : List.copyOf(side.connected)) {
        if (each.state() != EndpointState.CONNECTED) {
          judge.ended(each.failure());
          side.forget(each);
        } else if (isBesidePair(each)) {
          throw new AssertionError("a request of another process is answered through the rings of the pair");
        }
      }
      for (Endpoint each : List.copyOf(side.disconnected)) {
        judge.ended(each.failure());
        side.forget(each);
      }
      side.requests.clear();
    }
  }

  private boolean isAlone() {
    checkOthers();
    return pair.a.connected.equals(List.of(left)) && pair.b.connected.equals(List.of(right));
  }

  @Override
  public void rest() {
    Await.until("the attacker's connections end", this::isAlone, this::poll, pair::toString);
    until("all descriptors are closed", () -> StrayDescriptors.unclosed() == 0);
    assertEquals(failedUnmaps, SystemCalls.failedUnmaps(), "mappings that could not be unmapped");
    Await.until("nothing is left", () -> Attacker.held().stream().noneMatch(each -> each.contains("/memfd:attack")), this::poll,
      () -> "at first there were " + before + " files, mappings and sockets, and now these: " + Attacker.held());
  }
}
