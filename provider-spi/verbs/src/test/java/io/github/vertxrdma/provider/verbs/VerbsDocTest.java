package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each function of the installed headers is in docs/verbs.adoc. */
@Timeout(60)
class VerbsDocTest {
  private static final Path DOC = Path.of("../../docs/verbs.adoc");
  private static final Path NOT_CALLED = Path.of("src/test/resources/not-called.txt");
  private static final Path INCLUDE = Path.of(System.getenv().getOrDefault("CPATH", "/usr/include"));
  private static final List<String> HEADERS = List.of("infiniband/verbs.h", "rdma/rdma_cma.h", "rdma/rdma_verbs.h", "rdma/rsocket.h");
  private static final Pattern FUNCTION = Pattern.compile(
    "^[a-z_][A-Za-z0-9_ *]*?[ *\\n]\\*?((?:ibv|rdma|mbps|mult|r(?=[a-z]+\\())[a-z0-9_]*)\\s*\\([^;{]*",
    Pattern.MULTILINE);

  @Test
  void everyVerbHasAWord() throws IOException {
    assumeTrue(Files.isRegularFile(DOC), "the documentation is not beside the module");
    // A name that begins with an underscore is marked as literal, which AsciiDoc would take for italics otherwise.
    String doc = Files.readString(DOC).replace("`+", "`").replace("+`", "`");
    Set<String> notCalled = new TreeSet<>(List.of(Files.readString(NOT_CALLED).split("\\s+")));
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (String header : HEADERS) {
      assumeTrue(Files.isRegularFile(INCLUDE.resolve(header)), () -> header + " is not installed");
      String text = Files.readString(INCLUDE.resolve(header)).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^#(.*\\\\\\n)*.*$", "");
      for (Matcher function = FUNCTION.matcher(text); function.find(); found++) {
        if (!doc.contains('`' + function.group(1) + '`') && !notCalled.contains(function.group(1))) {
          missing.add(function.group(1));
        }
      }
    }
    assertEquals(Set.of(), missing);
    assertEquals(true, found > 200, found + " functions found in the headers");
  }
}
