package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.vertxrdma.provider.contract.parsers.Corpus;
import io.vertx.core.buffer.Buffer;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Recorded bytes of the present version keep their meaning: another encoding needs another version. */
@Timeout(60)
class RecordedTest {
  private static final String VERSION = Integer.toString(CallLink.VERSIONS.highest());

  @TestFactory
  Stream<DynamicTest> meansAndIsWhatWasRecorded() {
    return Sample.all().stream().map(sample -> DynamicTest.dynamicTest(sample.name(), () -> {
      byte[] written = new CallFrameWriter().bytes(sample.frame()).getBytes();
      byte[] recorded = Corpus.of("frame").stream().filter(input -> input.version().equals(VERSION) && input.name().equals(sample.name()))
        .findFirst().map(Corpus.Input::bytes)
        .orElseGet(() -> fail("not recorded: " + new Corpus.Input(VERSION, sample.name(), written).line()));
      assertEquals(HexFormat.of().formatHex(recorded), HexFormat.of().formatHex(written), "what is written");
      assertEquals(sample.frame().toString(), new FrameReader(8192).frame(Buffer.buffer(recorded), false).toString(), "what is read");
    }));
  }

  @Test
  void nothingElseIsOfThisVersion() throws Exception {
    List<String> known = Sample.all().stream().map(Sample::name).toList();
    for (Corpus.Input input : Corpus.of("frame")) {
      assertTrue(!input.version().equals(VERSION) || known.contains(input.name()), input.line());
    }
  }
}
