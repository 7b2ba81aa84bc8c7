package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CallStatesTest {
  private static final Path PAGE = Path.of("../../docs/protocol.adoc");

  @Test
  void theDocsHaveTheTableOfTheCode() throws Exception {
    Map<String, Set<String>> table = new LinkedHashMap<>();
    Matcher row = Pattern.compile("^\\| (?:connection|server|client) \\| ([A-Z]+) \\| [^|\\n]+ \\|([A-Z ]*)$", Pattern.MULTILINE)
      .matcher(Files.readString(PAGE));
    while (row.find()) {
      table.put(row.group(1), new TreeSet<>(row.group(2).isBlank() ? Set.of() : Set.of(row.group(2).trim().split(" +"))));
    }
    Map<String, Set<String>> code = new LinkedHashMap<>();
    for (ConnectionState state : ConnectionState.values()) {
      code.put(state.name(), names(state.frames));
    }
    for (CallState state : CallState.values()) {
      code.put(state.name(), names(state.frames));
    }
    assertEquals(code, table);
  }

  private static Set<String> names(Set<FrameType> types) {
    return types.stream().map(FrameType::name).collect(Collectors.toCollection(TreeSet::new));
  }
}
