package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.ContractTest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.params.Parameter;

/** The contract on connected endpoints of tcp and connectionless endpoints of rxm. */
@OverFabrics({"tcp", "rxm"})
class LibfabricContractTest implements ProviderContract {
  @Parameter
  private String name;

  @Override
  public Device device() {
    return Devices.require(name);
  }

  /** These libraries read all memory by the processor, where a fault would end the process. */
  @ContractTest
  void memoryOfAFileIsRefused() throws IOException {
    Path file = Files.createTempFile("mapped", ".bin");
    try (Domain domain = device().open();
      Arena arena = Arena.ofShared();
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
      ProviderException refused = assertThrows(ProviderException.class, () -> domain.register(mapped, Set.of()));
      assertTrue(refused.getMessage().contains("mapped from a file"), refused.getMessage());
    } finally {
      Files.delete(file);
    }
  }
}
