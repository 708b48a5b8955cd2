// Two clusters of six points in two groups: the front of cost against balance.
#include <fairfront/fairfront.hpp>
#include <iostream>

int main() {
  fairfront::data::Dataset people;
  people.rows = 6, people.columns = 1;
  people.features = {0, 1, 3, 10, 11, 13};
  people.group = {0, 0, 0, 1, 1, 0};
  people.group_names = {"young", "old"};
  const fairfront::clustering::Problem problem(people, 2);
  const auto front = balance_ladder(problem, {}, 1, "example").front.points;
  for (std::size_t i = 0; i < front.size(); i += 2)
    std::cout << front[i] << ' ' << front[i + 1] << '\n';
}
