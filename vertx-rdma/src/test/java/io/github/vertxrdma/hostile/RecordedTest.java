package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.provider.contract.parsers.Corpus;
import java.lang.reflect.RecordComponent;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Recorded bytes of the present version of each protocol keep their meaning, and are what it writes. Another encoding needs another
 * version, whose bytes are recorded beside them.
 */
@Timeout(60)
class RecordedTest {
  @TestFactory
  Stream<DynamicTest> meansAndIsWhatWasRecorded() {
    return Sample.all().stream().map(sample -> DynamicTest.dynamicTest(sample.parser() + ' ' + sample.name(), () -> {
      byte[] recorded = recorded(sample);
      assertEquals(HexFormat.of().formatHex(recorded), HexFormat.of().formatHex(sample.bytes()), "what is written");
      assertEquals(text(sample.value()), text(sample.decoder().apply(recorded)), "what is read");
    }));
  }

  @TestFactory
  Stream<DynamicTest> nothingElseIsOfThisVersion() throws Exception {
    return Sample.all().stream().map(Sample::parser).distinct().map(parser -> DynamicTest.dynamicTest(parser, () -> {
      List<String> known = Sample.all().stream().filter(sample -> sample.parser().equals(parser)).map(RecordedTest::words).toList();
      for (Corpus.Input input : Corpus.of(parser)) {
        if (known.stream().anyMatch(words -> words.startsWith(input.version() + ' '))) {
          assertEquals(true, known.contains(input.version() + ' ' + input.name()), input.line());
        }
      }
    }));
  }

  @Test
  void greetingsOfVersion4NameNoDevice() throws Exception {
    List<Corpus.Input> recorded = Corpus.of("greeting").stream().filter(input -> input.version().equals("link-4")).toList();
    assertEquals(List.of("", ""), recorded.stream().map(input -> Greeting.decode(input.bytes()).device()).toList());
  }

  private static String words(Sample sample) {
    return sample.version() + ' ' + sample.name();
  }

  private static byte[] recorded(Sample sample) throws Exception {
    Corpus.Input now = new Corpus.Input(sample.version(), sample.name(), sample.bytes());
    return Corpus.of(sample.parser()).stream()
      .filter(input -> input.version().equals(sample.version()) && input.name().equals(sample.name()))
      .findFirst().map(Corpus.Input::bytes).orElseGet(() -> fail("not recorded: " + now.line()));
  }

  /** Shows the content of arrays, and sets in order. */
  private static String text(Object value) throws ReflectiveOperationException {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Set<?> set) {
      return new TreeSet<>(set).toString();
    }
    if (!(value instanceof Record)) {
      return String.valueOf(value);
    }
    StringBuilder text = new StringBuilder(value.getClass().getSimpleName());
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      text.append(' ').append(component.getName()).append('=').append(text(component.getAccessor().invoke(value)));
    }
    return text.toString();
  }
}
