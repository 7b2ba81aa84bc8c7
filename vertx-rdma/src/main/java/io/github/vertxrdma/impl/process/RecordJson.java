package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

public final class RecordJson {
  /** Maximum characters of a text. An error in statistics has a time before its text of at most {@link PeerText#MOST} characters. */
  private static final int MOST_TEXT = 2 * PeerText.MOST;

  private RecordJson() {
  }

  public static JsonObject of(Record value) {
    JsonObject json = new JsonObject();
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      try {
        json.put(component.getName(), json(component.getAccessor().invoke(value)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException(component + " of " + value.getClass() + " cannot be read", e);
      }
    }
    return json;
  }

  public static <R extends Record> R read(Class<R> type, Buffer json) {
    try {
      return read(type, json.toJsonObject());
    } catch (DecodeException e) {
      throw new IllegalArgumentException("not a valid " + type.getSimpleName() + ": " + PeerText.of(e.getMessage()));
    }
  }

  /** Reads a record of any version. A missing member is 0, false or empty. An unknown enum constant becomes the first one. */
  public static <R extends Record> R read(Class<R> type, JsonObject json) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = value(components[i].getGenericType(), json.getValue(components[i].getName()));
    }
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("not a valid " + type.getSimpleName() + ": " + PeerText.of(json.encode()), e);
    }
  }

  @SuppressWarnings("unchecked")
  private static Object value(Type wanted, Object found) {
    try {
      if (wanted instanceof ParameterizedType list) {
        return found == null ? List.of() : ((JsonArray) found).stream().map(each -> value(list.getActualTypeArguments()[0], each)).toList();
      }
      Class<?> type = (Class<?>) wanted;
      if (type == long.class) {
        return found == null ? 0L : ((Number) found).longValue();
      }
      if (type == int.class) {
        return found == null ? 0 : ((Number) found).intValue();
      }
      if (type == boolean.class) {
        return found != null && (Boolean) found;
      }
      if (type == String.class) {
        return found == null ? "" : PeerText.of((String) found, MOST_TEXT);
      }
      if (type.isEnum()) {
        String name = (String) found;
        Object[] constants = type.getEnumConstants();
        return Stream.of(constants).filter(each -> ((Enum<?>) each).name().equals(name)).findFirst().orElse(constants[0]);
      }
      return read((Class<? extends Record>) type, found == null ? new JsonObject() : (JsonObject) found);
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(PeerText.of(found.toString()) + " is not a " + wanted, e);
    }
  }

  private static Object json(Object value) {
    return switch (value) {
      case Record nested -> of(nested);
      case List<?> list -> {
        JsonArray array = new JsonArray();
        list.forEach(each -> array.add(json(each)));
        yield array;
      }
      case Set<?> set -> json(set.stream().sorted().toList());
      case Enum<?> constant -> constant.name();
      case String s -> s;
      case Number n -> n;
      case Boolean b -> b;
      default -> throw new IllegalArgumentException(value.getClass() + " cannot be converted to JSON");
    };
  }
}
