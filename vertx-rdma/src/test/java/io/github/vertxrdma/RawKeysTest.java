package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities.AddressBase;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.vertx.core.Vertx;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class RawKeysTest {
  private static final Set<Access> ACCESS = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"rxm, 8, 8", "tcp, 8, 8", "nio, 12, 4", "shm, 16, 4"})
  void keysAndAddressesAreWhatTheDocsSay(String fabric, int bytes, int number) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Domain domain = await(Rdma.create(vertx, new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions()
        .setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()))).openDevice(fabric)).domain();
      try (MemoryRegion one = register(domain); MemoryRegion other = register(domain)) {
        assertEquals(bytes, one.remoteKey().length);
        assertEquals(domain.limits().keySize(), bytes);
        assertNotEquals(ByteBuffer.wrap(one.remoteKey(), 0, number), ByteBuffer.wrap(other.remoteKey(), 0, number));
        assertEquals(domain.capabilities().addressBase() == AddressBase.VIRTUAL ? one.segment().address() : 0, one.remoteAddress());
      }
    } catch (ExecutionException e) {
      assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED, e.getCause().getMessage());
      throw e;
    } finally {
      await(vertx.close());
    }
  }

  private static MemoryRegion register(Domain domain) {
    return domain.register(domain.allocate(4096, ACCESS, Arena.ofAuto()), ACCESS);
  }
}
