package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GreetedRequestTest {
  private final Victim victim = new Victim(false);

  @AfterEach
  void othersContinue() {
    victim.assertHonest();
    victim.close();
  }

  private static boolean isRefused(RawPeer peer) {
    return peer.over() != null || peer.take().stream().anyMatch(frame -> frame.flags() == Frame.REFUSED);
  }

  @Test
  void linkOpensWithoutHelloIfGreetingIsGood() {
    RawPeer peer = victim.greeting(Victim.hello("accept").encode());
    assertEquals(List.of(Frame.WELCOME), peer.take().stream().map(RawPeer.Received::type).toList());
    peer.send(Frame.DATA, 0, 0, 0, new byte[] {7});
    victim.settle();
    assertEquals(2, victim.ends.size());
    assertEquals(1, victim.end().messages.size());
    assertNull(peer.over());
  }

  @Test
  void helloIsAwaitedIfProofIsWrong() {
    Greeting hello = Victim.hello("accept");
    RawPeer peer = victim.greeting(new Greeting(new byte[] {6, 6, 6}, hello.nodeId(), 1, "", 0, "accept", hello.bufferSize(),
      hello.dataCredits(), hello.controlCredits(), hello.maxMessageSize(), Victim.NONE, Victim.NONE, hello.device()).encode());
    assertHelloIsAwaited(peer);
  }

  private void assertHelloIsAwaited(RawPeer peer) {
    assertEquals(List.of(), peer.take());
    assertEquals(1, victim.ends.size());
    peer.send(Frame.HELLO, 0, 0, 0, Victim.hello("refuse").encode());
    victim.settle();
    assertTrue(isRefused(peer), "as the service does");
    assertEquals(1, victim.ends.size());
  }

  @Test
  void linkIsRefusedIfServiceRefuses() {
    assertTrue(isRefused(victim.greeting(Victim.hello("refuse").encode())));
    assertEquals(1, victim.ends.size());
  }

  @Test
  void helloIsAwaitedIfGreetingIsCutShort() {
    Greeting hello = Victim.hello("accept");
    byte[] good = hello.encode();
    // Without the device it is a greeting of version 4.
    int ofVersion4 = good.length - Short.BYTES - hello.device().length();
    for (int length = 0; length < good.length; length += length + 1 == ofVersion4 ? 2 : 1) {
      assertHelloIsAwaited(victim.greeting(Arrays.copyOf(good, length)));
    }
  }

  @Test
  void linkFailsIfHelloFollowsGreetedRequest() {
    RawPeer peer = victim.greeting(Victim.hello("accept").encode());
    peer.send(Frame.HELLO, 0, 0, 0, Victim.hello("accept").encode());
    victim.settle();
    assertNotNull(peer.over());
    assertTrue(victim.end().over);
  }

  @Test
  void undecidedConnectorHoldsNoMoreThanOneWithHello() {
    long before = victim.loop.statistics().receiveSlotsUsed();
    victim.proven("later");
    long withHello = victim.loop.statistics().receiveSlotsUsed() - before;
    RawPeer peer = victim.greeting(Victim.hello("later").encode());
    assertEquals(2 * withHello, victim.loop.statistics().receiveSlotsUsed() - before);
    assertTrue(peer.take().isEmpty(), "nothing is said before the service decides");
    peer.send(Frame.DATA, 0, 0, 0, new byte[1]);
    victim.settle();
    assertNotNull(peer.over(), "data before the welcome");
    victim.waiting.clear();
  }
}
