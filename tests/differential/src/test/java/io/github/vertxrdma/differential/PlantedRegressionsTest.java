package io.github.vertxrdma.differential;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Regressions that are planted one by one into the product are found by a few rows over shared memory. Without them the same rows show no
 * difference.
 */
@Tag("full")
class PlantedRegressionsTest {
  @TempDir
  private static Path folder;
  private static Archive archive;

  /**
   * A regression.
   *
   * @param rows the rows that find it
   */
  private record Regression(String what, List<String> rows, List<Plant> plants) {
    Regression(String what, List<String> rows, Plant... plants) {
      this(what, rows, List.of(plants));
    }

    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Regression> regressions() {
    return Stream.of(
      new Regression("a write completes when taken", List.of("net | 20K await | halt | slow", "net | 20K reuse | close | slow"),
        plant("transport.ChannelOutput.retire", "isConfirmed", answer(true))),
      new Regression("no flush at close", List.of("publish | 20K | vertx.close | alone", "publish | 1M | vertx.close | slow"),
        plant("transport.RdmaChannel$RdmaUnsafe.prepareToClose", "isIdle", answer(true))));
  }

  private static Plant plant(String in, String call, Plant.Instead instead) {
    return new Plant("", "impl." + in, call, instead);
  }

  @BeforeAll
  static void archive() throws IOException, InterruptedException {
    archive = Archive.in(folder.resolve("archive"));
  }

  @AfterAll
  static void noProcessIsLeft() {
    assertEquals(0, Child.alive(), "processes that were not ended");
  }

  @ParameterizedTest
  @MethodSource("regressions")
  void isFound(Regression regression) throws Exception {
    List<Row> rows = regression.rows().stream().map(Row::parse).toList();
    Path planted = folder.resolve("planted-" + Integer.toHexString(regression.what().hashCode()));
    for (Plant plant : regression.plants()) {
      plant.write(planted);
    }
    DifferentialRun run = new DifferentialRun(Map.of(Lane.SHM, rows));
    run.run(new Suite(archive.classPath(), archive.options(), folder));
    assertEquals(List.of(), run.differences(Lane.SHM), "differences without the regression");
    // The archive of classes is for another class path.
    run.replace(new Suite(planted + File.pathSeparator + archive.classPath(), List.of(), folder), Lane.SHM);
    List<Difference> found = run.differences(Lane.SHM);
    assertFalse(found.isEmpty(), regression + " was not found by " + rows);
    System.out.println(regression + ": " + found);
  }
}
