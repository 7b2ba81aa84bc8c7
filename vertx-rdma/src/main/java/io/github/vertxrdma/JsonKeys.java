package io.github.vertxrdma;

import io.github.vertxrdma.provider.Nearest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Keys of options in JSON. The converters that Vert.x generates pass over a key that they do not know and a value of another type: here both
 * are refused by name, in options of this library and of extensions. A class is asked for its setters once, and never as messages pass.
 */
public final class JsonKeys {
  private static final ClassValue<Map<String, Class<?>>> SETTERS = new ClassValue<>() {
    @Override
    protected Map<String, Class<?>> computeValue(Class<?> options) {
      Map<String, Class<?>> keys = new TreeMap<>();
      for (Method method : options.getMethods()) {
        Class<?>[] parameters = method.getParameterTypes();
        if (method.getName().startsWith("set") && parameters.length == 1 && json(parameters[0]) != null) {
          keys.put(Character.toLowerCase(method.getName().charAt(3)) + method.getName().substring(4), parameters[0]);
        }
      }
      return keys;
    }
  };

  private JsonKeys() {
  }

  /**
   * The JSON, if each of its keys is that of a setter.
   *
   * @param options a class of options: setters, and a constructor from JSON in those that others contain
   * @param besides keys of objects that somebody else reads
   * @throws IllegalArgumentException with the key, and the one that is probably meant or all that there are
   */
  public static JsonObject known(Class<?> options, JsonObject json, String... besides) {
    Map<String, Class<?>> keys = new TreeMap<>(SETTERS.get(options));
    for (String key : besides) {
      keys.put(key, JsonObject.class);
    }
    return known(options.getSimpleName(), keys, json);
  }

  /**
   * The same for JSON that no class stands for.
   *
   * @param where the beginning of a refusal
   * @param keys with the types of their values
   */
  public static JsonObject known(String where, Map<String, Class<?>> keys, JsonObject json) {
    for (Map.Entry<String, Object> member : json) {
      Class<?> type = keys.get(member.getKey());
      if (type == null) {
        throw new IllegalArgumentException(where + ": no key '" + member.getKey() + "'; " + meant(member.getKey(), keys));
      }
      if (member.getValue() != null && !json(type).isInstance(member.getValue())) {
        throw new IllegalArgumentException(where + ": '" + member.getKey() + "' is " + words(json(type)) + ", not " + member.getValue());
      }
    }
    return json;
  }

  /** Class that stands for a type in JSON; null for a type that has no form there. */
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
    if (Collection.class.isAssignableFrom(type)) {
      return JsonArray.class;
    }
    return type == JsonObject.class || isOptions(type) ? JsonObject.class : null;
  }

  private static boolean isOptions(Class<?> type) {
    return Stream.of(type.getConstructors()).anyMatch(made -> made.getParameterCount() == 1 && made.getParameterTypes()[0] == JsonObject.class);
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
    return Nearest.of(key, names).map(near -> "do you mean '" + near + "'?").orElse("there are " + String.join(", ", keys.keySet()));
  }
}
