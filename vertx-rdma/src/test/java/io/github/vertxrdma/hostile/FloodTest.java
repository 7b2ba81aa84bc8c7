package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More peers connect than may await their proofs at the same time, and stay silent. Each of them is a source of its own. */
@Timeout(60)
class FloodTest {
  private static final int PLACES = 256;
  private static final int WAITING = 4096;
  private static final PlainHandshake WITHOUT_NONCE = new PlainHandshake(Victim.WORD, (byte) 0);
  private static final PlainHandshake WITH_UNKNOWN_NONCE = new PlainHandshake(Victim.WORD, (byte) 2);

  private final Victim victim = new Victim();
  private final Victim.SlowLoop host = new Victim.SlowLoop(victim.time, 3);
  private final CompletionQueue queue = victim.domain.createCompletionQueue(1024);
  private final CompletionBatch batch = new CompletionBatch(16);
  private final List<Endpoint> flood = new ArrayList<>();
  private DeviceLoop loop;
  private int accepted;
  private int ended;

  @BeforeEach
  void open() {
    loop = victim.now(DeviceLoop.open(host, victim.domain, LoopOptions.DEFAULT));
  }

  @AfterEach
  void othersContinue() {
    victim.assertHonest();
    flood.forEach(Endpoint::close);
    loop.close(new IllegalStateException("the test has ended"));
    pass(2_000);
    queue.close();
    victim.close();
  }

  private void pass(long millis) {
    for (int i = 0; i < millis; i++) {
      victim.pass(TimeUnit.MILLISECONDS.toNanos(1));
      queue.poll(batch);
    }
  }

  private void flood(int count) {
    for (int i = 0; i < count; i++) {
      Endpoint endpoint = victim.domain.createEndpoint(queue, new EndpointOptions(), new EndpointHandler() {
        @Override
        public void connected(Endpoint made, byte[] accept) {
          accepted++;
        }

        @Override
        public void disconnected(Endpoint lost, ProviderException cause) {
          ended++;
        }
      });
      flood.add(endpoint);
      endpoint.connect(victim.listener.localAddress(), new byte[] {9});
    }
    pass(50);
  }

  private Future<Victim.End> connect(Handshake handshake) {
    return LinkConnector.connect(loop, victim.listener.localAddress(), LinkWorld.identity("late", handshake, LinkWatcher.NONE), "accept",
      Victim.NONE, 10_000, Victim.End::new);
  }

  private static void assertConnected(Future<Victim.End> connected) {
    assertTrue(connected.succeeded(), () -> String.valueOf(connected.cause()));
  }

  @Test
  void requestWithProofNeedsNoPlace() {
    flood(PLACES + 20);
    assertEquals(PLACES, accepted);
    Future<Victim.End> connected = connect(new PlainHandshake(Victim.WORD));
    pass(50);
    assertConnected(connected);
    assertEquals(PLACES, accepted);
  }

  /** The application has not decided about any of them. */
  @Test
  void peerConnectsDuringAFloodOfRequestsWithProofs() {
    for (int i = 0; i < PLACES + 20; i++) {
      victim.request(Victim.hello("later").encode());
    }
    pass(900);
    assertEquals(PLACES + 20, victim.waiting.size(), "each request is proven");
    Future<Victim.End> known = connect(new PlainHandshake(Victim.WORD));
    Future<Victim.End> unknown = connect(WITHOUT_NONCE);
    pass(50);
    assertConnected(known);
    assertConnected(unknown);
    victim.waiting.clear();
  }

  @Test
  void silentPeerLosesItsPlaceAfterASecondIfAnotherPeerWaits() {
    flood(PLACES);
    Future<Victim.End> connected = connect(WITH_UNKNOWN_NONCE);
    pass(500);
    assertFalse(connected.isComplete());
    pass(1_500);
    assertConnected(connected);
    pass(4_000);
    assertEquals(1, ended, "one place was needed");
  }

  @Test
  void peerConnectsAlthoughMoreSourcesWaitThanMay() {
    flood(PLACES + WAITING + 20);
    Future<Victim.End> connected = connect(WITHOUT_NONCE);
    pass(2_000);
    assertConnected(connected);
  }

  @Test
  void peerThatLosesItsPlaceGetsTheReason() {
    RawPeer peer = victim.stranger();
    flood(PLACES);
    pass(1_500);
    RawPeer.Received refusal = peer.take().getFirst();
    assertEquals(Frame.WELCOME, refusal.type());
    assertEquals(Frame.REFUSED, refusal.flags());
    assertEquals(3, refusal.a(), "connect again");
    assertEquals("the peer did not prove the cluster secret within 1 s while others waited", new String(refusal.payload()));
  }

  /** Its proof is late because its process is stopped or its memory is registered slowly. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void peerThatLosesItsPlaceConnectsAgain(boolean stopped) {
    // Uses the registered memory.
    Future<Victim.End> first = connect(WITHOUT_NONCE);
    pass(50);
    assertConnected(first);
    host.slowMillis = stopped ? 0 : 1_500;
    Future<Victim.End> connected = connect(WITHOUT_NONCE);
    if (stopped) {
      host.stop();
    }
    pass(10);
    flood(PLACES + 20);
    pass(1_300);
    host.resume();
    pass(4_000);
    assertConnected(connected);
  }

  @Test
  void peerIsNotBlamedForTheTimeInWhichThisNodeRegistersMemory() {
    victim.host.slowMillis = 3_000;
    // More than the registered memory suffices for.
    flood(20);
    Future<Victim.End> connected = connect(WITHOUT_NONCE);
    pass(10);
    flood(PLACES + 20);
    pass(1_500);
    victim.host.slowMillis = 0;
    pass(5_000);
    assertConnected(connected);
  }

  @Test
  void silentPeersKeepTheirPlacesWhileNobodyWaits() {
    flood(PLACES);
    pass(8_000);
    assertEquals(0, ended);
  }
}
