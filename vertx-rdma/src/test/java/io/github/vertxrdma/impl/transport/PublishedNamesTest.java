package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory's names of a server on the wildcard address, in a network of its own. Needs unshare(1) with user namespaces or root, and
 * ip(8) with veth.
 */
@Timeout(60)
class PublishedNamesTest {
  private static final String UP = "10.96.0.51";
  private static final String DOWN = "10.96.0.50";
  private static final List<String> NETWORK = List.of("unshare", "--user", "--map-root-user", "--net", "sh", "-c");
  private static final String ADDRESSES = "ip link set lo up && ip link add down0 type veth peer name down1"
    + " && ip addr add " + DOWN + "/32 dev down0 && ip link add up0 type veth peer name up1 && ip addr add " + UP
    + "/32 dev up0 && ip link set up1 up && ip link set up0 up";

  @TempDir
  Path folder;

  static final class Names {
    private Names() {
    }

    public static void main(String[] args) {
      System.out.println("names " + RouteNames.ofBound(new InetSocketAddress(8080)));
    }
  }

  private static boolean isAllowed() throws InterruptedException {
    List<String> command = new ArrayList<>(NETWORK);
    command.add(ADDRESSES);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static String names(String classPath) throws Exception {
    assumeTrue(isAllowed(), "it takes unshare(1) with user namespaces, and ip(8) with veth");
    List<String> program = new ArrayList<>(NETWORK);
    program.add(ADDRESSES + " && exec \"$0\" \"$@\"");
    try (ChildJvm child = ChildJvm.startBy(program, classPath, Names.class)) {
      return child.await("names ");
    }
  }

  @Test
  void addressOfInterfaceThatIsDownIsNotPublished() throws Exception {
    String names = names(System.getProperty("java.class.path"));
    assertTrue(names.contains(UP), names);
    assertFalse(names.contains(DOWN), names);
  }

  @Test
  void plantedBugThatPublishesInterfaceThatIsDownIsFound() throws Exception {
    new Plant("an interface that is down is published", "impl.transport.RouteNames.isUp", "isUp", answer(true)).write(folder);
    String names = names(folder + File.pathSeparator + System.getProperty("java.class.path"));
    assertTrue(names.contains(DOWN), names);
  }
}
