package io.github.vertxrdma.suites;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
class NettySocketsTest {
  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void passOverNio() throws Exception {
    List<String> classes = Stream.concat(NettySuiteTest.QUICK.stream().map(Class::getName), NettySuiteTest.HALF_CLOSED.stream()).toList();
    new SuiteComparison("netty", SuiteRunner.ofStreams("netty-sockets"), classes).over("nio", null, classes.size());
  }
}
