package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that are taken for alive, and for dead. */
@Timeout(120)
class ProcessLifeTest {
  private static final List<String> LIMITED = List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @Test
  void aProcessIsItsIdAndItsStart() {
    long pid = ProcessHandle.current().pid();
    assertTrue(ProcessLife.alive(pid, ProcessLife.ownStart()));
    assertFalse(ProcessLife.alive(pid, ProcessLife.ownStart() + 1));
    assertFalse(ProcessLife.alive(Integer.MAX_VALUE, 1));
  }

  /** Files of the living would be removed otherwise. */
  @Test
  void whoHasNoDescriptorLeftTakesNobodyForDead() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/dev/zero")) && Files.exists(Path.of("/proc/self/stat")), "it needs Linux's /proc and /dev");
    try (ChildJvm child = ChildJvm.startBy(LIMITED, NoDescriptors.class, Long.toString(ProcessHandle.current().pid()),
      Long.toString(ProcessLife.ownStart()))) {
      assertEquals("true false", child.await("alive and dead:"));
      child.waitFor();
    }
  }

  /** Takes what descriptors there are, and asks about its parent, and a process that there is not. */
  static final class NoDescriptors {
    public static void main(String[] arguments) throws IOException {
      long pid = Long.parseLong(arguments[0]);
      long start = Long.parseLong(arguments[1]);
      // Classes are loaded while there are descriptors for it.
      ProcessLife.alive(pid, start + 1);
      ProcessLife.alive(Integer.MAX_VALUE, 1);
      List<FileInputStream> taken = new ArrayList<>();
      try {
        while (true) {
          taken.add(new FileInputStream("/dev/zero"));
        }
      } catch (IOException e) {
        boolean alive = ProcessLife.alive(pid, start);
        boolean dead = ProcessLife.alive(Integer.MAX_VALUE, 1);
        taken.removeLast().close();
        for (FileInputStream each : taken) {
          each.close();
        }
        System.out.println("alive and dead: " + alive + ' ' + dead);
      }
    }
  }
}
