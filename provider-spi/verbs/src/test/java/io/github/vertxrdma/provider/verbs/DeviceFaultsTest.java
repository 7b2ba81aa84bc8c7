package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Completion;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Errors that adapters report only when something breaks, reported by the device in user space on command: each has a named outcome, and once. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class DeviceFaultsTest {

  @BeforeEach
  void device() {
    assumeTrue(TestDevices.missing() == null, TestDevices.missing());
    assumeTrue(TestDevices.inUserSpace(), "only the device in user space fails on command");
  }

  private static Pair connected() {
    return Pair.connected(Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT));
  }

  private static int number(Pair pair) {
    return ((VerbsEndpoint) pair.left()).pair().number();
  }

  @Test
  void aRegistrationBeyondTheRegionsOfTheDeviceSaysSo() {
    Nic.use("tiny");
    try (Domain domain = Devices.require(new VerbsProvider(), "verbs:tiny").open(); Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      int most = domain.limits().maxRegions();
      for (int i = 0; i < most; i++) {
        domain.register(memory, Set.of(Access.LOCAL_WRITE));
      }
      ProviderException refused = assertThrows(ProviderException.class, () -> domain.register(memory, Set.of(Access.LOCAL_WRITE)));
      assertEquals(ProviderException.Reason.LIMIT, refused.reason());
      assertTrue(refused.getMessage().contains("the device allows " + most + " regions"), refused.getMessage());
    } finally {
      Nic.use(Nic.DEFAULT);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = {"SUCCESS", "RECEIVE_TOO_SHORT", "STREAM_BROKEN"})
  void eachStatusEndsTheRequestAndTheConnectionByItsName(WorkStatus status) {
    try (Pair pair = connected()) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      Nic.built().failRequest(number(pair), 1, status.ordinal());
      long before = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
      long hit = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
      pair.until("the end", () -> !pair.a.disconnected.isEmpty() && pair.a.completion(hit) != null);
      assertTrue(pair.a.completion(before).ok(), "the request before it succeeded");
      Completion failed = pair.a.completion(hit);
      assertEquals(status.status, failed.status(), failed.toString());
      assertTrue(failed.error().contains("IBV_WC_" + status), failed.error());
      assertEquals(EndpointState.BROKEN, pair.left().state());
      if (status != WorkStatus.WR_FLUSH_ERR) {
        assertTrue(pair.a.cause.getMessage().contains("IBV_WC_" + status), pair.a.cause.getMessage());
      }
      pair.until("the peer's end", () -> !pair.b.disconnected.isEmpty());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = {"UNKNOWN", "CQ_ERR", "SRQ_ERR", "WQ_FATAL", "SRQ_LIMIT_REACHED"})
  void eachEventEndsWhatItStandsForOrNothing(AsyncEvent event) {
    try (Pair pair = connected()) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      Nic.built().raise(number(pair), event.ordinal());
      try {
        if (event.ends == AsyncEvent.Ends.NOTHING) {
          pair.until("the event is taken", () -> !event.explains() || !((VerbsDomain) pair.a.domain()).lastPortEvent().isEmpty());
          assertEquals(EndpointState.CONNECTED, pair.left().state());
        } else {
          pair.until("the end", () -> !pair.a.disconnected.isEmpty());
          assertTrue(pair.a.cause.getMessage().contains("IBV_EVENT_" + event), pair.a.cause.getMessage());
        }
      } finally {
        if (event == AsyncEvent.PORT_ERR) {
          Nic.built().raise(number(pair), AsyncEvent.PORT_ACTIVE.ordinal());
        }
      }
      if (event.ends == AsyncEvent.Ends.NOTHING) {
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      }
    }
  }
}
