def analyse(path):  # the share of records at a level
    with open(path, newline="", encoding="utf-8") as file:
        x = [row["<<OUTCOME>>"] == "<<OUTCOME_LEVEL>>" for row in csv.DictReader(file)]
    p = sum(x) / len(x)
    return p, p * (1 - p) / len(x)
