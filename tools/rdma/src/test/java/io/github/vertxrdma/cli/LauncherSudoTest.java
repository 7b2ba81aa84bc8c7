package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherSudoTest extends LauncherFixture {
  /** Imitates sudo(8): root with another home, without the environment of the project's owner. */
  private void becomeRootBySudo() throws IOException {
    Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "only root can be root by sudo");
    Files.setAttribute(project, "unix:uid", 4711);
    environment.put("SUDO_UID", "4711");
    environment.put("SUDO_USER", "joe");
    environment.remove("JAVA_HOME");
    executable(bin.resolve("getent"), "#!/bin/sh\n[ \"$*\" = 'passwd 4711' ] && echo joe:x:4711:4711::" + temp.resolve("joe") + ":/bin/sh");
    executable(bin.resolve("sudo"), "#!/bin/sh\necho \"sudo $*\" >> " + temp.resolve("sudo") + "; while [ \"$1\" != -- ]; do shift; done\n"
      + "shift; exec env -u JAVA_HOME SUDO_UID=0 HOME=" + temp.resolve("joe") + " \"$@\"");
  }

  @Test
  void sudoUsesTheJdkBelowTheUsersHome() throws Exception {
    becomeRootBySudo();
    Path jdks = Files.createDirectories(temp.resolve("joe/.sdkman/candidates/java"));
    Files.move(temp.resolve("jdk-25"), jdks.resolve("25.0.1-tem"));
    Ended up = withoutSystemJdks("doctor");
    assertTrue(up.says("building") && up.says("java of jdk-25"), up.output());
    environment.put("SUDO_UID", "4712");
    Ended other = withoutSystemJdks("doctor");
    assertTrue(other.status() == 1 && other.says("none was found"),
      "whose checkout it is not, is not who is run as root: " + other.output());
  }

  @Test
  void sudoWithoutJdkNamesTheVariableToPass() throws Exception {
    becomeRootBySudo();
    Ended none = withoutSystemJdks("doctor");
    assertTrue(none.status() == 1 && none.says(" and name its folder: sudo JAVA_HOME=/path/to/jdk ./rdma …\n"), none.output());
    environment.put("JAVA_HOME", temp.resolve("jdk-25").toString());
    Ended up = withoutSystemJdks("doctor");
    assertTrue(up.says("building") && up.says("java of jdk-25"), up.output());
  }

  @Test
  void sudoBuildsAsTheUser() throws Exception {
    becomeRootBySudo();
    String java = temp.resolve("jdk-25").toString();
    environment.put("JAVA_HOME", java);
    Ended up = rdma("doctor");
    assertTrue(up.says("building") && up.says("java of jdk-25"), up.output());
    assertEquals("sudo -H -u #4711 -- env JAVA_HOME=" + java + " " + project.resolve("rdma") + " build\n",
      Files.readString(temp.resolve("sudo")));
    assertFalse(rdma("doctor").says("building"));
    Files.delete(temp.resolve("sudo"));
    for (String command : List.of("test", "install", "docs")) {
      assertEquals(new Ended(1, "rdma: " + command + " builds, and joe could not write where root has built; run it without sudo\n"),
        rdma(command));
    }
    environment.put("SUDO_UID", "4712");
    assertTrue(rdma("install").status() == 0, "whose checkout it is builds as he likes");
  }
}
