package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.hazelcast.instance.BuildInfoProvider;
import io.github.vertxrdma.provider.contract.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HazelcastVersionTest {

  private static List<String> warnings(String version) {
    try (LogLines log = new LogLines(ClusterDirectory.class)) {
      ClusterDirectory.checkVersion(version);
      return log.warnings();
    }
  }

  @Test
  void olderMinorVersionIsNamed() {
    assertEquals(List.of("Hazelcast 5.5.0 on the class path is older than 5.6, which vertx-rdma was tested with. Give it the version that"
      + " vertx-hazelcast was released with; in Spring Boot set the property hazelcast.version"), warnings("5.5.0"));
  }

  @Test
  void testedAndLaterVersionsHaveNoWarning() {
    for (String version : List.of(BuildInfoProvider.getBuildInfo().getVersion(), "5.6.1", "5.7.0", "6.0.0")) {
      assertEquals(List.of(), warnings(version));
    }
  }
}
