package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process attacks the listeners of an honest pair without its keys: {@link Attacker} makes random moves by a seed. The pair exchanges
 * messages and reads memory meanwhile and afterwards, and nothing of the attack remains.
 */
@Tag("full")
class AttackGamesTest {
  private static final int CONNECT_EVERY = 10;
  private static final int SIZE = 4096;

  private Attacker attacker;

  @BeforeEach
  void build() throws Exception {
    attacker = Attacker.build();
  }

  @AfterEach
  void remove() throws Exception {
    if (attacker != null) {
      attacker.close();
    }
  }

  @Test
  void processOfSameUserHarmsNoOtherConnection() throws Exception {
    play(Map.of("runtime", attacker.folder().resolve("run").toString()));
  }

  @Test
  void memberOfGroupHarmsNoOtherConnection() throws Exception {
    attacker = attacker.otherUser();
    play(Map.of(MeetingFolder.GROUP, Attacker.GROUP, MeetingFolder.FOLDER, attacker.folder().resolve("meeting").toString()));
  }

  private void play(Map<String, String> settings) throws Exception {
    ShmDevice device = (ShmDevice) Devices.require(List.of(new ShmProvider()), "shm", settings);
    AbandonedNames.removeAllOnce(device.folder);
    Await.until("earlier descriptors are closed", () -> StrayDescriptors.unclosed() == 0);
    long failed = SystemCalls.failedUnmaps();
    int before = Attacker.held().size();
    try (Pair pair = Pair.connected(device, new PairOptions().withSlots(64, 3000).withReceivesInPlace())) {
      List<String> sockets = List.of(device.folder.socket(pair.listener().localAddress()),
        device.folder.socket(pair.a.listenAndAccept().localAddress()));
      Honest honest = new Honest(pair);
      Attacker.playAll(game -> play(honest, sockets, game));
    }
    Await.until("all descriptors are closed", () -> StrayDescriptors.unclosed() == 0);
    assertEquals(failed, SystemCalls.failedUnmaps(), "mappings that could not be unmapped");
    Await.until("nothing is left", () -> Attacker.held().size() <= before, () -> 0, () -> "at first there were " + before
      + " files, mappings and sockets, and now these: " + Attacker.held());
  }

  private void play(Honest honest, List<String> sockets, int game) throws IOException, InterruptedException {
    Process process = attacker.play(game, "-", 0, sockets);
    try {
      while (process.isAlive()) {
        honest.exchange();
      }
      Attacker.awaitEnd(process);
    } finally {
      process.destroyForcibly();
    }
    honest.exchange();
    honest.awaitOtherEnds();
    if (game % CONNECT_EVERY == 0) {
      honest.connectOnceMore();
    }
  }

  private static final class Honest {
    private final Pair pair;
    private final Endpoint left;
    private final Endpoint right;
    private final MemoryRegion memory;
    private final MemoryRegion copy;
    private final RemoteMemory remote;
    private int rounds;

    Honest(Pair pair) {
      this.pair = pair;
      left = pair.left();
      right = pair.right();
      memory = pair.b.openRegion(SIZE);
      Pattern.fill(memory.segment(), 0, SIZE, 7);
      copy = pair.a.openRegion(SIZE);
      remote = pair.a.remote(memory);
    }

    void exchange() {
      int length = 1 + ++rounds % 2000;
      pair.a.send(left, Pattern.bytes(rounds, length), PostFlags.SIGNALED);
      pair.b.send(right, Pattern.bytes(rounds + 1, 300), PostFlags.SIGNALED);
      Pattern.check(message(pair.b, right), length, rounds);
      Pattern.check(message(pair.a, left), 300, rounds + 1);
      copy.segment().fill((byte) 0);
      long id = Side.nextId();
      assertEquals(Status.OK, left.post(new WorkRequest().read(copy, 0, SIZE, remote, 0).id(id).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, id);
      assertEquals(-1, copy.segment().mismatch(memory.segment()));
      assertEquals(EndpointState.CONNECTED, left.state(), () -> String.valueOf(left.failure()));
      assertEquals(EndpointState.CONNECTED, right.state(), () -> String.valueOf(right.failure()));
      pair.a.completions.clear();
      pair.b.completions.clear();
    }

    private byte[] message(Side side, Endpoint of) {
      byte[][] found = {null};
      pair.until("a message of the honest pair", () -> {
        while (found[0] == null && !side.messages.isEmpty()) {
          Side.Message next = side.messages.poll();
          found[0] = next.endpoint() == of ? next.data() : null;
        }
        return found[0] != null;
      });
      return found[0];
    }

    void awaitOtherEnds() {
      pair.until("the attacker's connections end", () -> others(pair.a.connected, left) + others(pair.b.connected, right) == 0);
    }

    /**
     * Closes ended endpoints.
     *
     * @return the number of endpoints beside the own one
     */
    private static int others(List<Endpoint> connected, Endpoint own) {
      for (Endpoint each : List.copyOf(connected)) {
        if (each.state() != EndpointState.CONNECTED) {
          each.close();
          connected.remove(each);
        }
      }
      return connected.size() - (connected.contains(own) ? 1 : 0);
    }

    void connectOnceMore() {
      Await.until("descriptors are closed", () -> StrayDescriptors.unclosed() == 0, pair::poll, pair::toString);
      Endpoint more = pair.a.connect(pair.listener().localAddress());
      pair.until("another connection", () -> more.state() == EndpointState.CONNECTED);
      more.close();
      pair.a.connected.remove(more);
      awaitOtherEnds();
    }
  }
}
