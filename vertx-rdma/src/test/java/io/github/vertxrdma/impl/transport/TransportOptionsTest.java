package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of options that a process has. */
@Timeout(60)
class TransportOptionsTest {
  @TempDir
  Path folder;

  private TransportOptions load(String json) throws Exception {
    Path file = Files.writeString(folder.resolve("options.json"), json.replace('\'', '"'));
    System.setProperty(TransportOptions.FILE, file.toString());
    try {
      return TransportOptions.load();
    } finally {
      System.clearProperty(TransportOptions.FILE);
    }
  }

  @Test
  void fileHasOptionsOfTheTransportBesideThoseOfTheNode() throws Exception {
    TransportOptions options = load("{'fabric': 'nio', 'transport': {'eventBus': false, 'streams': 'all'}}");
    assertEquals("nio", options.rdma().getFabric());
    assertFalse(options.eventBus());
    assertTrue(options.streams());
    assertFalse(load("{'transport': null}").streams());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "{'transprot': {}}                 | are wrong: RdmaOptions: no key 'transprot'; do you mean 'transport'?",
    "{'transport': 'all'}              | are wrong: RdmaOptions: 'transport' is an object, not all",
    "{'transport': {'stream': 'all'}}  | are wrong: transport: no key 'stream'; do you mean 'streams'?",
    "{'transport': {'streams': true}}  | are wrong: transport: 'streams' is text, not true",
    "{'transport': {'streams': 'any'}} | are wrong: vertx.rdma.streams",
    "{'fabrics': 'shm'}                | are wrong: RdmaOptions: no key 'fabrics'; do you mean 'fabric'?",
    "{'fabric'                         | are no JSON: "})
  void mistakeIsReportedWithTheFile(String json, String told) {
    String message = assertThrows(IllegalArgumentException.class, () -> load(json)).getMessage();
    assertTrue(message.startsWith("The options of vertx-rdma in " + folder.resolve("options.json") + ' ' + told), message);
  }
}
