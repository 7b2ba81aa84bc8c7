package io.github.vertxrdma.provider.devices.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EfaProfileTest {

  private static Discovery discover(Map<String, String> settings) {
    return new ProfileProvider().discover(new DiscoveryOptions(null, settings));
  }

  @Test
  void profileHasTheCapabilitiesOfEfa() {
    var device = discover(Map.of("profiles", "efa-profile", "profiles.base", "memory-rdm")).devices().getFirst();
    Capabilities capabilities = device.capabilities();
    assertEquals(Set.of(Capabilities.Order.SEND_AFTER_SEND), capabilities.orders());
    assertEquals(Waiting.NONE, capabilities.waiting());
    assertFalse(capabilities.atomics() || capabilities.can(Operation.FETCH_ADD));
    assertTrue(capabilities.immediateBits() < Integer.SIZE, "the layer takes some of 32 bits");
    assertEquals(4, device.limits().keySize());
  }

  @Test
  void plainWritesAreOvertakenAndDeliveredOnesAreNot() {
    var device = discover(Map.of("fabric", "efa-profile", "profiles.base", "memory-rdm", "profiles.seed", "1")).devices().getFirst();
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion mine = pair.a.openRegion(1000);
      MemoryRegion theirs = pair.b.openRegion(1000);
      assertEquals(4, theirs.remoteKey().length);
      RemoteMemory remote = pair.a.remote(theirs);
      int overtaken = 0;
      for (int i = 0; i < 40; i++) {
        boolean delivered = i % 2 == 0;
        Pattern.fill(mine.segment(), 0, 1000, i);
        long id = Side.nextId();
        assertEquals(0, pair.left().post(
          new WorkRequest().write(mine, 0, 1000, remote, 0)
            .id(id).flags(PostFlags.SIGNALED | (delivered ? PostFlags.DELIVERY_COMPLETE : 0))));
        if (delivered) {
          pair.success(pair.a, id);
        }
        pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED);
        pair.message(pair.b);
        boolean there = Pattern.mismatch(theirs.segment(), 0, 1000, i) < 0;
        assertTrue(there || !delivered, "a delivered write was overtaken");
        overtaken += there ? 0 : 1;
        pair.success(pair.a, id);
      }
      assertTrue(overtaken > 5, "only " + overtaken + " of 20 plain writes were overtaken");
    }
  }

  /** The fabric efa-direct refuses fi_writemsg(3) with FI_INJECT, and accepts fi_sendmsg(3) with it. */
  @ParameterizedTest
  @ValueSource(strings = {"efa-profile", "efa-direct-profile"})
  void inlineWritesAreNotDirect(String profile) {
    var device = discover(Map.of("fabric", profile, "profiles.base", "memory-rdm")).devices().getFirst();
    boolean direct = profile.equals(ProfileProvider.EFA_DIRECT);
    assertEquals(direct ? 1 : 4, device.limits().scatterGather());
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion mine = pair.a.openRegion(64);
      RemoteMemory remote = pair.a.remote(pair.b.openRegion(64));
      int prefix = pair.a.prefix();
      assertEquals(Status.OK,
        pair.left().post(new WorkRequest().send(mine, 0, prefix + 1).id(-1).flags(PostFlags.SIGNALED | PostFlags.INLINE)));
      pair.success(pair.a, -1);
      assertEquals(Status.OK,
        pair.left().post(new WorkRequest().write(mine, 0, 0, remote, 0).id(-2).flags(PostFlags.SIGNALED | PostFlags.INLINE)));
      pair.success(pair.a, -2);
      assertEquals(direct ? Status.LIMIT : Status.OK,
        pair.left().post(new WorkRequest().write(mine, 0, 1, remote, 0).id(-3).flags(PostFlags.SIGNALED | PostFlags.INLINE)));
    }
  }

  @Test
  void profilesAreHiddenUnlessAskedForAndSayWhatTheyLack() {
    assertEquals(new Discovery(java.util.List.of(), java.util.List.of()), discover(Map.of("fabric", "tcp")));
    Discovery missing = discover(Map.of("profiles", "true", "profiles.base", "no-such-device"));
    assertEquals(0, missing.devices().size());
    assertEquals(3, missing.unavailable().size());
    assertTrue(
      missing.unavailable().getFirst().toString().startsWith("efa-profile: it is based on 'no-such-device', which cannot be used"));
    Discovery unfit = discover(Map.of("profiles", "efa-profile", "profiles.base", "memory"));
    assertEquals("it cannot be based on 'memory', which has no connectionless endpoints", unfit.unavailable().getFirst().reason());
  }
}
