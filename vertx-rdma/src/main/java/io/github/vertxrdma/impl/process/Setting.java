package io.github.vertxrdma.impl.process;

import java.util.Locale;
import java.util.Map;

/** Settings of this process: a system property, or the environment variable of the same name in capitals with {@code _} for dots. */
public final class Setting {
  private Setting() {
  }

  /** @return null if neither is set or the value is empty */
  public static String of(String property) {
    return of(property, System.getenv());
  }

  public static String of(String property, Map<String, String> environment) {
    String value = System.getProperty(property);
    if (value == null || value.isEmpty()) {
      value = environment.get(variable(property));
    }
    return value == null || value.isEmpty() ? null : value;
  }

  public static String variable(String property) {
    return property.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
