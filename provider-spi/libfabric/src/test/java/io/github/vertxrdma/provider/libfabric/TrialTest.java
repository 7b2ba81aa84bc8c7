package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Self-tests of a domain of which one function fails; the others are those of the library. */
@Timeout(60)
class TrialTest {
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

  /** A function that returns -1 with any arguments, since they are not an open file. */
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
        try (Patch patch = new Patch(domain.fid().address() + Structs.DOMAIN_OPS, function, failing())) {
          assertThrows(ProviderException.class, () -> new Trial(domain));
        }
        assertEquals(open, Fid.open());
      }
      new Trial(domain).close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  void domainDoesNotWaitByAnFdThatIsNeverQuiet(String fabric) {
    try (FabricDomain domain = domain(fabric)) {
      assertEquals(Waiting.FD, new SelfTest(domain).capabilities().waiting());
      try (Patch patch = new Patch(domain.fabric().address() + Structs.FABRIC_OPS, Structs.FABRIC_TRYWAIT, failing())) {
        assertEquals(Waiting.NONE, new SelfTest(domain).capabilities().waiting());
      }
    }
  }
}
