package io.github.vertxrdma;

import io.github.vertxrdma.provider.Nearest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Strict checks of JSON options. The converters that Vert.x generates ignore unknown keys and values of other types, and truncate numbers.
 * These checks refuse them.
 */
public final class JsonKeys {
  private static final ClassValue<Map<String, Class<?>>> SETTERS = new ClassValue<>() {
    @Override
    protected Map<String, Class<?>> computeValue(Class<?> options) {
      Map<String, Class<?>> keys = new TreeMap<>();
      for (Method method : options.getMethods()) {
        if (method.getName().startsWith("set") && method.getParameterCount() == 1) {
          Class<?> type = type(method.getParameterTypes()[0], method.getGenericParameterTypes()[0]);
          if (json(type) != null) {
            keys.put(Character.toLowerCase(method.getName().charAt(3)) + method.getName().substring(4), type);
          }
        }
      }
      return keys;
    }
  };

  private JsonKeys() {
  }

  /**
   * Returns the JSON if each key has a setter and each value the setter's type.
   *
   * @param options class with setters, and with a constructor from JSON if it is nested
   * @param besides further valid keys
   * @throws IllegalArgumentException for an unknown key or a wrong value, with the key in the message
   */
  public static JsonObject known(Class<?> options, JsonObject json, String... besides) {
    Map<String, Class<?>> keys = new TreeMap<>(SETTERS.get(options));
    for (String key : besides) {
      keys.put(key, JsonObject.class);
    }
    return known(options.getSimpleName(), keys, json);
  }

  /**
   * Checks JSON without an options class. Throws like {@link #known(Class, JsonObject, String...)}.
   *
   * @param where text with which error messages begin
   * @param keys with the types of their values, {@code String[].class} for an array of text
   */
  public static JsonObject known(String where, Map<String, Class<?>> keys, JsonObject json) {
    for (Map.Entry<String, Object> member : json) {
      Class<?> type = keys.get(member.getKey());
      if (type == null) {
        throw new IllegalArgumentException(where + ": unknown key '" + member.getKey() + "'; " + meant(member.getKey(), keys));
      }
      if (member.getValue() != null) {
        check(where, '\'' + member.getKey() + '\'', type, member.getValue());
      }
    }
    return json;
  }

  private static void check(String where, String what, Class<?> type, Object value) {
    if (!json(type).isInstance(value)) {
      throw new IllegalArgumentException(where + ": " + what + " must be " + words(json(type)) + ", but is " + value);
    }
    if (value instanceof Number number && !fits(type, number)) {
      throw new IllegalArgumentException(where + ": " + what + " must be a whole number of "
        + (type == Duration.class ? "milliseconds" : (type == int.class ? Integer.SIZE : Long.SIZE) + " bits") + ", but is " + value);
    }
    if (value instanceof JsonArray array && type.isArray()) {
      array.forEach(element -> check(where, "an element of " + what, type.componentType(), element));
    }
  }

  private static boolean fits(Class<?> type, Number number) {
    long whole = number.longValue();
    return type == double.class || type == float.class || number.doubleValue() == whole && (type != int.class || whole == (int) whole);
  }

  private static Class<?> type(Class<?> type, Type parameter) {
    return Collection.class.isAssignableFrom(type) && parameter instanceof ParameterizedType list
      && list.getActualTypeArguments()[0] instanceof Class<?> element && json(element) != null ? element.arrayType() : type;
  }

  private static Class<?> json(Class<?> type) {
    if (type == String.class || type == Buffer.class || type.isEnum()) {
      return String.class;
    }
    if (type == boolean.class) {
      return Boolean.class;
    }
    if (type.isPrimitive() || type == Duration.class) {
      return Number.class;
    }
    if (Collection.class.isAssignableFrom(type) || type.isArray() && json(type.componentType()) != null) {
      return JsonArray.class;
    }
    return type == JsonObject.class || isOptions(type) ? JsonObject.class : null;
  }

  private static boolean isOptions(Class<?> type) {
    return Stream.of(type.getConstructors())
      .anyMatch(made -> made.getParameterCount() == 1 && made.getParameterTypes()[0] == JsonObject.class);
  }

  private static String words(Class<?> json) {
    return json == String.class ? "text" : json == Boolean.class ? "true or false" : json == Number.class ? "a number"
      : json == JsonArray.class ? "an array" : "an object";
  }

  private static String meant(String key, Map<String, Class<?>> keys) {
    Map<String, String> names = new LinkedHashMap<>();
    keys.forEach((known, type) -> names.put(known, known));
    keys.forEach((known, type) -> {
      if (isOptions(type)) {
        SETTERS.get(type).keySet().forEach(inside -> names.put(known + '.' + inside, inside));
      }
    });
    return Nearest.of(key, names).map(near -> "did you mean '" + near + "'?").orElse("valid keys are " + String.join(", "
      + "", keys.keySet()));
  }
}
