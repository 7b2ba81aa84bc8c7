package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Self-tests and trials of a domain whose library has a function that fails, or an fd that stays readable. */
@Timeout(60)
class ProbeEndpointTest {
  /** A table of functions in which one is replaced until this is closed. */
  private static final class Patch implements AutoCloseable {
    private final long pointer;
    private final long original;
    private final long patched;

    /** @param pointer address of the pointer to the table @param offset of the function in the table */
    Patch(long pointer, int offset, long function) {
      this.pointer = pointer;
      original = Memory.getLong(pointer);
      byte[] functions = Memory.getBytes(original, (int) Memory.getLong(original));
      patched = Memory.allocate(functions.length);
      Memory.putBytes(patched, functions);
      Memory.putLong(patched + offset, function);
      Memory.putLong(pointer, patched);
    }

    @Override
    public void close() {
      Memory.putLong(pointer, original);
      Memory.free(patched);
    }
  }

  /** A function that returns -1 for any arguments, since they name no open file. */
  private static long failing() {
    return Downcall.libc("fsync");
  }

  private static FabricDomain domain(String fabric) {
    FabricDevice device = (FabricDevice) Devices.require(new LibfabricProvider(), fabric);
    return fabric.equals("tcp") ? new MsgDomain(device) : new RdmFabricDomain(device);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  void objectsOpenedBeforeAFailureAreClosed(String fabric) {
    try (FabricDomain domain = domain(fabric)) {
      for (int function : new int[] {Structs.DOMAIN_ENDPOINT, Structs.DOMAIN_CQ_OPEN}) {
        int open = Fid.open();
        try (Patch patch = new Patch(domain.fid.address() + Structs.DOMAIN_OPS, function, failing())) {
          assertThrows(ProviderException.class, () -> new ProbeEndpoint(domain));
        }
        assertEquals(open, Fid.open());
      }
      new ProbeEndpoint(domain).close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  void domainDoesNotWaitByAnFdThatIsNeverQuiet(String fabric) {
    try (FabricDomain domain = domain(fabric)) {
      assertEquals(Waiting.FD, ProbeEndpoint.testedCapabilities(domain).waiting());
      try (Patch patch = new Patch(domain.fabric.address() + Structs.FABRIC_OPS, Structs.FABRIC_TRYWAIT, failing())) {
        assertEquals(Waiting.NONE, ProbeEndpoint.testedCapabilities(domain).waiting());
      }
    }
  }

  private static void overRxm(BiConsumer<ProbeEndpoint, ProbeEndpoint> test) {
    int open = Fid.open();
    try (FabricDomain domain = new RdmFabricDomain((FabricDevice) Devices.require(new LibfabricProvider(), "rxm"));
      ProbeEndpoint trial = new ProbeEndpoint(domain);
      ProbeEndpoint peer = new ProbeEndpoint(domain)) {
      test.accept(trial, peer);
    }
    assertEquals(open, Fid.open());
  }

  @Test
  void fdIsQuietWithPeerWhenTheLibraryKeepsItsPromise() {
    overRxm((trial, peer) -> assertTrue(trial.isQuietWith(peer)));
  }

  /** Some providers have an fd that stays readable once there is a peer; here an eventfd(2) takes its place. */
  @Test
  void fdIsNotQuietWithPeerWhenThePeersFdStaysReadable() {
    overRxm((trial, peer) -> {
      int readable = FileDescriptor.event();
      long one = Memory.allocate(8);
      try {
        assertTrue(trial.isQuiet() && peer.isQuiet());
        Memory.putLong(one, 1);
        assertEquals(8, FileDescriptor.write(readable, one, 8));
        assertEquals(peer.fd(), Calls.number(Downcall.libc("dup2"), readable, peer.fd()));
        assertFalse(trial.isQuietWith(peer));
      } finally {
        Memory.free(one);
        FileDescriptor.close(readable);
      }
    });
  }

  @Test
  void fdIsNotQuietWithPeerWhenMessagesCannotBeSent() {
    overRxm((trial, peer) -> {
      // The result -1 is an error that no repetition would remove.
      try (Patch patch = new Patch(trial.endpoint.address() + Structs.EP_MSG, Structs.MSG_INJECT, failing())) {
        assertFalse(trial.isQuietWith(peer));
      }
    });
  }
}
