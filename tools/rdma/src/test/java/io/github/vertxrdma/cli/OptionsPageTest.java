package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OptionsPageTest {

  @Test
  void theReferenceIsUpToDate() throws Exception {
    Path page = PROJECT.resolve("docs/options.adoc");
    String text = new OptionsPage().text();
    assertTrue(text.contains("| `bufferSize` | int | 16 KiB\n| Bytes of one receive"), text);
    if (Boolean.getBoolean("vertx.rdma.docs.write")) {
      Files.writeString(page, text);
    }
    // Only --all compares the text, which other changes may edit at the same time.
    boolean whole = Boolean.getBoolean("vertx.rdma.test.all");
    String there = Files.readString(page);
    assertEquals(whole ? text : names(text), whole ? there : names(there), "docs/options.adoc is out of date; make it anew:"
      + " mvn -pl tools/rdma -am test -Dtest=OptionsPageTest"
      + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest.jvm=-Dvertx.rdma.docs.write=true");
  }

  @Test
  void optionsRefuseJsonKeysThatTheyDoNotKnow() throws Exception {
    assertEquals(List.of(), new OptionsPage().deaf());
  }

  private static String names(String page) {
    return page.lines().filter(line -> line.startsWith("==") || line.startsWith("| `"))
      .map(line -> line.startsWith("==") ? line : line.split("\\|", 3)[1]).collect(Collectors.joining("\n"));
  }
}
