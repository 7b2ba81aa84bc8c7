package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.RandomOperations;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;

@ExtendWith(UserSpace.class)
@OverFabrics(value = "nic", full = {"mlx5", "connectib", "iwarp", "irdma", "bnxt", "ib", Nic.WITHOUT_ADDRESS, "roce-multiport", "tiny",
  "erdma", "t6"})
class RandomRequestsTest extends RandomOperations {
  @Parameter
  private String personality;

  @BeforeEach
  void use() {
    Nic.use(personality);
  }

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, Nic.built().held());
  }

  @Override
  protected Device device() {
    return Devices.require(new VerbsProvider(), "verbs:" + personality);
  }

  @Override
  protected void failAtRandom(int seed, int every) {
    Nic.built().failAtRandom(seed, every);
  }

  @Override
  protected List<String> launcher() {
    return Nic.built().launcher(personality);
  }

  @Test
  @Timeout(300)
  void operationsBetweenProcessesEndOnce() throws Exception {
    runBetweenProcesses(10_000, (int) System.nanoTime());
  }

  @Test
  @Tag("long")
  @Timeout(1800)
  void manyOperationsEndOnce() throws Exception {
    runInOneProcess(100_000, (int) System.nanoTime());
  }

  @Test
  void fullRunCoversAllPersonalitiesThatConnect() {
    OverFabrics fabrics = RandomRequestsTest.class.getAnnotation(OverFabrics.class);
    Set<String> expected = new HashSet<>(Nic.personalities());
    expected.add(Nic.WITHOUT_ADDRESS);
    assertEquals(expected, Stream.of(fabrics.value(), fabrics.full()).flatMap(Stream::of).collect(Collectors.toSet()));
  }
}
