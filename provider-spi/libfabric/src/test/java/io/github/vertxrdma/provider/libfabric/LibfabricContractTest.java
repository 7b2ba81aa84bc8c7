package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.ContractTest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

/** The contract on connected endpoints of tcp and connectionless endpoints of rxm, and on strict devices over them. */
@OverFabrics(value = {"tcp", "rxm"}, full = "strict-tcp", all = "strict-rxm")
class LibfabricContractTest implements ProviderContract {
  private static final String STRICT = "strict-";
  private static final Map<String, StrictDevice> STRICT_DEVICES = new HashMap<>();

  @Parameter
  private String name;

  @Override
  public Device device() {
    return !name.startsWith(STRICT) ? Devices.require(name)
      : STRICT_DEVICES.computeIfAbsent(name, strict -> StrictDevice.over(Devices.require(strict.substring(STRICT.length()))));
  }

  @AfterEach
  void strictDeviceFindsNoViolation() {
    StrictDevice strict = STRICT_DEVICES.get(name);
    if (strict != null) {
      List<String> violations = strict.violations();
      strict.clearViolations();
      assertEquals(List.of(), violations);
    }
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
