package io.github.vertxrdma.impl.statistics;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.util.List;

/** Records as JSON: an object with a member for each component. */
public final class RecordJson {
  private RecordJson() {
  }

  /** @throws IllegalArgumentException if a component is of a type that JSON has nothing for */
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

  private static Object json(Object value) {
    return switch (value) {
      case Record nested -> of(nested);
      case List<?> list -> {
        JsonArray array = new JsonArray();
        list.forEach(each -> array.add(json(each)));
        yield array;
      }
      case Enum<?> constant -> constant.name();
      case String s -> s;
      case Number n -> n;
      case Boolean b -> b;
      default -> throw new IllegalArgumentException(value.getClass() + " has no form in JSON");
    };
  }
}
