package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A domain whose functions are those of a library, but for one that fails. */
@Timeout(60)
class TrialTest {
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  void whatWasMadeBeforeAFailureIsClosed(String fabric) {
    FabricDevice device = (FabricDevice) Devices.require(new LibfabricProvider(), fabric);
    try (FabricDomain domain = fabric.equals("tcp") ? new MsgDomain(device) : new RdmFabricDomain(device)) {
      for (int function : new int[] {Structs.DOMAIN_ENDPOINT, Structs.DOMAIN_CQ_OPEN}) {
        int open = Fid.open();
        long table = domain.fid().address() + Structs.DOMAIN_OPS;
        long own = Memory.getLong(table);
        byte[] functions = Memory.getBytes(own, (int) Memory.getLong(own));
        long failing = Memory.allocate(functions.length);
        Memory.putBytes(failing, functions);
        // Returns -1 whatever it is called with, which is no file.
        Memory.putLong(failing + function, Downcall.libc("fsync"));
        Memory.putLong(table, failing);
        try {
          assertThrows(ProviderException.class, () -> new Trial(domain));
        } finally {
          Memory.putLong(table, own);
          Memory.free(failing);
        }
        assertEquals(open, Fid.open());
      }
      new Trial(domain).close();
    }
  }
}
