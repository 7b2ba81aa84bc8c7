package io.github.vertxrdma.perf.soak;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Soak;
import io.github.vertxrdma.provider.contract.OtherVersion;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the soak with an earlier or a later version of the link protocol in some processes, as in a rolling upgrade. */
@Tag("long")
@EnabledOnOs(value = OS.LINUX, disabledReason = "what a process has of the system is counted in /proc")
class OtherVersionTest {
  private static final int SECONDS = 20;
  private static final int NODES = 4;

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"nio, -1", "shm, 1"})
  @Timeout(600)
  void worksBesideThisOne(String fabric, int newer) throws Exception {
    int highest = OtherVersion.highest() + newer;
    String said = soak(fabric, OtherVersion.ofLinks(folder, Math.min(OtherVersion.highest(), highest), highest));
    // A closing node may refuse one connection; without a common version five would be refused for each accepted one.
    assertTrue(counted(said, "connections") > 10 * counted(said, "failed with REJECTED"), said);
  }

  private static int counted(String said, String what) {
    Matcher found = Pattern.compile("all: .*?([0-9]+) " + what).matcher(said);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static String soak(String fabric, Path beside) throws Exception {
    Soak soak = new Soak();
    soak.fabric = fabric;
    soak.seconds = SECONDS;
    soak.nodes = NODES;
    soak.seed = Long.getLong("soak.seed", 1);
    soak.beside = beside.toString();
    soak.check();
    return SoakTest.run(soak);
  }
}
