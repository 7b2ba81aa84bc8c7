package io.github.vertxrdma.impl.calls;

import io.vertx.core.spi.tracing.TagExtractor;
import java.util.List;
import java.util.function.Function;

/** Tags of a span: names, and a function for each value. */
public record SpanTags<T>(List<String> names, List<Function<T, String>> values) implements TagExtractor<T> {

  @Override
  public int len(T of) {
    return names.size();
  }

  @Override
  public String name(T of, int index) {
    return names.get(index);
  }

  @Override
  public String value(T of, int index) {
    return values.get(index).apply(of);
  }
}
