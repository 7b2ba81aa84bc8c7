package io.github.vertxrdma.provider.contract.plants;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

public final class PlantLoader extends ClassLoader {
  private final List<Plant> plants;
  private final Set<String> used = ConcurrentHashMap.newKeySet();

  public PlantLoader(List<Plant> plants) {
    super(Plant.class.getClassLoader());
    this.plants = plants;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : name.startsWith(Plant.ROOT) ? anew(name) : super.loadClass(name, resolve);
    }
  }

  private Class<?> anew(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      for (Plant plant : plants) {
        if (name.equals(plant.className())) {
          used.add(name);
          bytes = plant.planted(bytes);
        }
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  public void checkUsed() {
    plants.stream().filter(plant -> !used.contains(plant.className())).findFirst().ifPresent(plant -> {
      throw new IllegalStateException(plant.className() + " was not used");
    });
  }
}
